import TestSupport

/// The documentation's samples are copied from the files beside this one.
@Suite(.limited) struct DocumentationTests {
    @Test func everySampleIsCompiled() throws {
        let tests = try SampleFile.all(in: "Tests/DocumentationTests", named: "*.swift")
        let pages = try [SampleFile("README.md")] + SampleFile.all(in: "Docs", named: "*.md")
        let samples = pages.flatMap(\.samples)

        #expect(!samples.isEmpty)
        for sample in samples where !tests.contains(where: { $0.holds(sample) }) {
            Issue.record(
                """
                \(sample.place): this sample is in no file of Tests/DocumentationTests, \
                so nothing compiles it. Copy it from there:
                \(sample.lines.joined(separator: "\n"))
                """)
        }
    }
}
