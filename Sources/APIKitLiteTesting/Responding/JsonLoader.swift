import Foundation

/// Reads JSON fixtures from a bundle.
///
/// ```swift
/// let coffees = try JsonLoader(bundle: .module).load(type: [Coffee].self, fileName: "Coffees")
/// ```
public struct JsonLoader {
    private let folder: URL

    /// Reads from a bundle: `Bundle.module` in a package, `Bundle(for: Self.self)` in Xcode.
    public init(bundle: Bundle) {
        folder = bundle.resourceURL ?? bundle.bundleURL
    }

    init(folder: URL) {
        self.folder = folder
    }

    /// The bytes of a fixture, `.json` unless the name has an extension of its own.
    ///
    /// Looked for in the bundle itself, and in its folders `Fixtures` and `Resources`.
    ///
    /// - Throws: ``FixtureNotFoundError`` with every path that was tried, or what reading threw.
    public func data(fileName: String) throws -> Data {
        let candidates = candidates(for: fileName)
        guard let url = candidates.first(where: { FileManager.default.fileExists(atPath: $0.path) })
        else {
            throw FixtureNotFoundError(
                fileName: fileName, paths: candidates.map(\.path), neighbours: neighbours)
        }
        return try Data(contentsOf: url)
    }

    /// A fixture, decoded.
    ///
    /// - Throws: As ``data(fileName:)``, or a `DecodingError`.
    public func load<Value: Decodable>(
        type: Value.Type, fileName: String, decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: try data(fileName: fileName))
    }

    private func candidates(for fileName: String) -> [URL] {
        let hasExtension = !(fileName as NSString).pathExtension.isEmpty
        let names = hasExtension ? [fileName, fileName + ".json"] : [fileName + ".json", fileName]
        return folders.flatMap { folder in names.map(folder.appendingPathComponent) }
    }

    private var folders: [URL] {
        [folder] + ["Fixtures", "Resources"].map(folder.appendingPathComponent)
    }

    /// The files that are there, for one who has misspelt a name.
    private var neighbours: [String] {
        folders.flatMap { folder in
            let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
            return (files ?? []).filter { !($0 as NSString).pathExtension.isEmpty }.sorted()
        }
    }
}

/// A fixture that is in none of the places where it was looked for.
public struct FixtureNotFoundError: LocalizedError, CustomStringConvertible, Sendable {
    /// The name that was asked for.
    public let fileName: String

    /// Every path that was tried, in order.
    public let paths: [String]

    let neighbours: [String]

    /// The name, the paths, the files that are there, and what to check.
    public var description: String {
        let found = neighbours.prefix(10) + (neighbours.count > 10 ? ["…"] : [])
        return """
            No fixture \"\(fileName)\". Looked for:
            \(paths.map { "  " + $0 }.joined(separator: "\n"))
            There is: \(found.isEmpty ? "no file" : found.joined(separator: ", ")).
            Is the file among the resources of the test target?
            """
    }

    /// The same text.
    public var errorDescription: String? { description }
}
