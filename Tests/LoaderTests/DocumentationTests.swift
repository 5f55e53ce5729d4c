import Foundation
import Testing

/// The documentation's samples are copied from the files beside this one, `DocumentationTests*`.
@Suite(.timeLimit(.minutes(5))) struct DocumentationTests {
    @Test func everySampleIsCompiled() throws {
        let tests = try SampleFile.all(in: "Tests/LoaderTests", named: "DocumentationTests*.swift")
        let pages =
            try [SampleFile("README.md")]
            + SampleFile.all(in: "Docs/APIKitLite.docc", named: "*.md")
        let samples = pages.flatMap(\.samples)

        #expect(samples.count > 20)
        for sample in samples where !tests.contains(where: { $0.holds(sample) }) {
            Issue.record(
                """
                \(sample.place): this sample is in no Tests/LoaderTests/DocumentationTests*.swift, \
                so nothing compiles it. Copy it from there:
                \(sample.lines.joined(separator: "\n"))
                """)
        }
    }

    @Test func everySampleOfTheReadmeShowsAtOnce() throws {
        let text = try SampleFile("README.md").lines

        #expect(text.count < 130)
        #expect(try #require(text.firstIndex { $0.contains("APIRequest {") }) < 15)
    }
}

/// A fenced `swift` block. Other fences hold what no test can compile: manifests, compiler
/// messages, code that is wrong on purpose, and code for frameworks that only Apple has.
private struct Sample {
    let place: String
    let lines: [String]

    /// Without imports, which are at the top of the test file; the reader's own module is nowhere.
    var code: String {
        lines.filter { !$0.hasPrefix("import ") && $0 != "@testable import App" }.words
    }

    var imports: [String] { lines.filter { $0.hasPrefix("import ") } }
}

private struct SampleFile {
    let path: String
    let lines: [String]

    init(_ path: String) throws {
        self.path = path
        let url = URL.repository.appending(path: path)
        lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
    }

    /// - Parameter pattern: With one `*`, which stands for anything.
    static func all(in folder: String, named pattern: String) throws -> [SampleFile] {
        let ends = pattern.split(separator: "*", omittingEmptySubsequences: false)
        return try FileManager.default
            .contentsOfDirectory(
                atPath: URL.repository.appending(path: folder).path(percentEncoded: false)
            )
            .filter { $0.hasPrefix(ends[0]) && $0.hasSuffix(ends[1]) }
            .map { try SampleFile("\(folder)/\($0)") }
    }

    var samples: [Sample] {
        var samples: [Sample] = []
        var start: Int?
        for (index, line) in lines.enumerated() where line.hasPrefix("```") {
            if let begin = start {
                samples.append(
                    Sample(place: "\(path):\(begin + 1)", lines: Array(lines[(begin + 1)..<index])))
                start = nil
            } else if line == "```swift" {
                start = index
            }
        }
        return samples
    }

    func holds(_ sample: Sample) -> Bool {
        !sample.lines.isEmpty && lines.words.contains(sample.code)
            && sample.imports.allSatisfy(lines.contains)
    }
}

extension [String] {
    /// The lines as one, with a space between words: neither indentation nor wrapping counts.
    fileprivate var words: String {
        " " + flatMap { $0.split(whereSeparator: \.isWhitespace) }.joined(separator: " ") + " "
    }
}

/// Checks that a page of the catalog quotes a text; the line of a test in it may be another.
func expectPage(
    _ name: String, toShow text: String, _ location: SourceLocation = #_sourceLocation
) throws {
    let page = try SampleFile("Docs/APIKitLite.docc/\(name)").lines.map(\.withoutLineNumber)
    for line in text.components(separatedBy: "\n").map(\.withoutLineNumber) {
        let isShown = page.contains(line)
        #expect(isShown, "\(name) does not show: \(line)", sourceLocation: location)
    }
}

extension String {
    fileprivate var withoutLineNumber: String {
        replacingOccurrences(of: #"\.swift:[0-9]+"#, with: ".swift", options: .regularExpression)
    }
}

extension URL {
    /// The folder of README.md.
    static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
}
