import Foundation

extension MockError {
    /// Returns the error of a fixture that is in none of the folders where it was looked for.
    static func noFixture(
        _ fileName: String, paths: [String], neighbours: [String]
    ) -> MockError {
        let found = neighbours.prefix(10) + (neighbours.count > 10 ? ["…"] : [])
        return MockError(
            .noFixture,
            """
            No fixture "\(fileName)". Looked for:
            \(paths.map { "  " + $0 }.joined(separator: "\n"))
            There is: \(found.isEmpty ? "no file" : found.joined(separator: ", ")).
            Is the file among the resources of the test target?
            """)
    }
}
