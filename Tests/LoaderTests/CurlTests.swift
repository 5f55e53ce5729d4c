import APIKitLite
import APIKitLiteTesting
import Foundation
import Testing

/// The command, pasted into a shell, sends what the request says.
@Suite struct CurlTests {
    private static let bodies: [Data?] = [
        nil, Data(), Data("plain".utf8), Data("it's \"quoted\" $HOME `id` \\ % @file".utf8),
        Data("@not-a-file".utf8), Data("two\nlines\r\nand a tab\t\n\n".utf8), Data("é 🎈".utf8),
        Data((0...255).map { UInt8($0) }), Data([0, 10, 37, 39, 92, 255]),
        Data(repeating: 120, count: 300_000),
    ]

    @Test(arguments: bodies)
    func sendsTheSameRequest(_ body: Data?) async throws {
        let network = MockNetwork()
        network.stub(.any, .text("ok"))
        let server = try network.serve()
        var request = URLRequest(
            url: URL(string: "\(server.url)/a%20b/[c]?q=it's&x=%22$HOME%22")!)
        request.httpMethod = body == nil ? "GET" : "PATCH"
        request.httpBody = body
        request.setValue("it's \"quoted\"; $HOME", forHTTPHeaderField: "X-Quotes")
        request.setValue("Bearer hunter2", forHTTPHeaderField: "Authorization")

        let output = try await shell(
            request.curlCommand(redacting: .none) + " --silent --noproxy '*'")

        #expect(output == "ok")
        let received = try #require(network.requests.first)
        #expect(received.method == request.httpMethod)
        #expect(received.request.url == request.url)
        #expect(received.body == body ?? Data())
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            #expect(received.request.value(forHTTPHeaderField: name) == value)
        }
        #expect(received.request.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    /// What a command prints.
    private func shell(_ command: String) async throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-s"]
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin"]
        process.standardOutput = output
        let input = Pipe()
        process.standardInput = input
        try process.run()
        return await withCheckedContinuation { continuation in
            // Writing and reading block, so they have threads of their own.
            DispatchQueue.global().async {
                input.fileHandleForWriting.write(Data(command.utf8))
                try? input.fileHandleForWriting.close()
            }
            DispatchQueue.global().async {
                let data = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: data.text)
            }
        }
    }
}
