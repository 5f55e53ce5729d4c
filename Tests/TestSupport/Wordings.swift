/// The texts about one subject that people read.
package struct Wordings {
    let title: String
    let texts: [String]

    package init(_ title: String, _ texts: [String]) {
        self.title = title
        self.texts = texts
    }

    package init(_ title: String, _ texts: String...) { self.init(title, texts) }

    var section: String {
        let separator = texts.contains { $0.contains("\n") } ? "\n\n" : "\n"
        return "# \(title)\n\n" + texts.joined(separator: separator)
    }
}

/// Compares each section with the one in `Wordings.txt`, which lies beside the test.
///
/// With `APIKITLITE_WRITE_WORDINGS=1` in the environment, it writes the file instead, so that a new
/// wording is one diff. No text may have `hunter` in it, the secret of the tests.
package func expectWordings(
    _ wordings: [Wordings], testFile: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let file = URL(filePath: testFile).deletingLastPathComponent().appending(path: "Wordings.txt")
    let sections = wordings.map(\.section)
    if ProcessInfo.processInfo.environment["APIKITLITE_WRITE_WORDINGS"] == "1" {
        try Data((sections.joined(separator: "\n\n") + "\n").utf8).write(to: file)
    }
    let expected = try String(contentsOf: file, encoding: .utf8).dropLast()
        .components(separatedBy: "\n\n# ").enumerated()
        .map { ($0.offset == 0 ? "" : "# ") + $0.element }

    let command = "Write the file with APIKITLITE_WRITE_WORDINGS=1 swift test --filter Wording"
    for section in sections where !expected.contains(section) {
        let title = section.prefix { $0 != "\n" }
        let old = expected.first { $0.hasPrefix(title + "\n") } ?? "nothing"
        Issue.record(
            "\(section)\n\nThe file has:\n\(old)\n\n\(command)", sourceLocation: sourceLocation)
    }
    #expect(sections.count == expected.count, "\(command)", sourceLocation: sourceLocation)
    #expect(!sections.joined().contains("hunter"), sourceLocation: sourceLocation)
}
