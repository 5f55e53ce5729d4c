import Foundation

/// A copy of this program that runs another of its commands, such as a server, and prints one line.
final class ChildProcess {
    /// The line that it printed.
    let line: String
    private let process: Process
    private let input = Pipe()

    /// Starts the copy, and waits for its line.
    ///
    /// - Parameter arguments: The command and its arguments.
    init(_ arguments: String...) throws {
        let output = Pipe()
        process = .ofThisProgram(arguments)
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.availableData
        line = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The line, of a server that prints its URL.
    var url: URL { URL(string: line)! }

    /// Closes the standard input, at which a server ends, and waits for the end.
    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

extension Process {
    /// A process that runs this program with other arguments. It has not been started.
    static func ofThisProgram(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        return process
    }
}
