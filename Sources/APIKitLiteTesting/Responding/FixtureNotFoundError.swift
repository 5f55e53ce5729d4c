import APIKitLite
import Foundation

/// The error of a fixture that is in none of the folders where it was looked for.
public struct FixtureNotFoundError: DescribedError, Sendable {
    /// The name of the fixture.
    package let fileName: String

    /// Every path that was tried, in order.
    package let paths: [String]

    let neighbours: [String]

    /// The name, the paths that were tried, the files that exist there, and what to check.
    public var description: String {
        let found = neighbours.prefix(10) + (neighbours.count > 10 ? ["…"] : [])
        return """
            No fixture \"\(fileName)\". Looked for:
            \(paths.map { "  " + $0 }.joined(separator: "\n"))
            There is: \(found.isEmpty ? "no file" : found.joined(separator: ", ")).
            Is the file among the resources of the test target?
            """
    }
}
