/// A fenced `swift` block. Other fences have code that no test can compile: manifests, compiler
/// messages, code that is wrong on purpose, and code for frameworks that only Apple has.
package struct Sample {
    package let place: String
    package let lines: [String]

    /// Without imports, which are at the top of the test file; the reader's own module is nowhere.
    var code: String {
        lines.filter { !$0.hasPrefix("import ") && !$0.hasPrefix("@testable import ") }.words
    }

    var imports: [String] { lines.filter { $0.hasPrefix("import ") } }
}

package struct SampleFile {
    package let path: String
    package let lines: [String]
    private let words: String

    package init(_ path: String) throws {
        self.path = path
        let url = URL.repository.appending(path: path)
        lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
        words = lines.words
    }

    /// - Parameter pattern: With one `*`, which stands for anything.
    package static func all(in folder: String, named pattern: String) throws -> [SampleFile] {
        let ends = pattern.split(separator: "*", omittingEmptySubsequences: false)
        let path = URL.repository.appending(path: folder).path(percentEncoded: false)
        return try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasPrefix(ends[0]) && $0.hasSuffix(ends[1]) }
            .map { try SampleFile("\(folder)/\($0)") }
    }

    package var samples: [Sample] {
        let fences = lines.indices.filter { lines[$0].hasPrefix("```") }
        return stride(from: 0, to: fences.count - 1, by: 2).compactMap { index in
            let (start, end) = (fences[index], fences[index + 1])
            guard lines[start] == "```swift" else { return nil }
            return Sample(place: "\(path):\(start + 1)", lines: Array(lines[(start + 1)..<end]))
        }
    }

    package func holds(_ sample: Sample) -> Bool {
        !sample.lines.isEmpty && words.contains(sample.code)
            && sample.imports.allSatisfy(lines.contains)
    }
}

extension [String] {
    /// The lines as one, with a space between words: neither indentation nor wrapping counts.
    fileprivate var words: String {
        " " + flatMap { $0.split(whereSeparator: \.isWhitespace) }.joined(separator: " ") + " "
    }
}

/// Checks that a page of `Docs` quotes a text, line after line; the line of a test in it may be
/// another.
package func expectPage(
    _ name: String, toShow text: String, _ location: SourceLocation = #_sourceLocation
) throws {
    let page = try SampleFile("Docs/\(name)").lines.joined(separator: "\n").withoutLineNumbers
    let isShown = page.contains("\n\(text.withoutLineNumbers)\n")
    #expect(isShown, "\(name) does not show:\n\(text)", sourceLocation: location)
}

extension String {
    fileprivate var withoutLineNumbers: String {
        replacingOccurrences(of: #"\.swift:[0-9]+"#, with: ".swift", options: .regularExpression)
    }
}

extension URL {
    /// The folder of README.md.
    package static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
}
