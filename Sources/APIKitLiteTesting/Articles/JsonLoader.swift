import APIKitLite
import Foundation

/// A loader of JSON fixtures and other files in a bundle.
///
/// ```swift
/// let loader = JsonLoader(bundle: .module)
/// let coffees = try loader.load(type: [Coffee].self, fileName: "Coffees")
/// ```
public struct JsonLoader {
    private let folder: URL

    /// Creates a loader for the resources of a bundle.
    ///
    /// - Parameter bundle: The bundle: `Bundle.module` in a package, or `Bundle(for:)` with a class
    ///   of the test target in an Xcode project.
    public init(bundle: Bundle) {
        folder = bundle.resourceURL ?? bundle.bundleURL
    }

    /// Returns the bytes of a fixture.
    ///
    /// Looks in the bundle's resource folder, and in its subfolders `Fixtures` and `Resources`.
    ///
    /// - Parameter fileName: The name of the file. You can omit the extension `.json`.
    /// - Returns: The content of the file.
    /// - Throws: ``MockError`` with every path that was tried, if there is no such file. A
    ///   Foundation error if the file cannot be read.
    public func data(fileName: String) throws -> Data {
        let hasExtension = !(fileName as NSString).pathExtension.isEmpty
        let names = hasExtension ? [fileName, fileName + ".json"] : [fileName + ".json", fileName]
        let candidates = folders.flatMap { folder in names.map(folder.appendingPathComponent) }
        guard let url = candidates.first(where: { FileManager.default.fileExists(atPath: $0.path) })
        else {
            let found = neighbours.prefix(10) + (neighbours.count > 10 ? ["…"] : [])
            throw MockError(
                """
                No fixture "\(fileName)". Looked for:
                \(candidates.map { "  " + $0.path }.joined(separator: "\n"))
                There is: \(found.isEmpty ? "no file" : found.joined(separator: ", ")).
                Is the file among the resources of the test target?
                """)
        }
        return try Data(contentsOf: url)
    }

    /// Decodes a fixture from JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - fileName: The name of the file. You can omit the extension `.json`.
    ///   - decoder: The decoder; by default, a new `JSONDecoder`.
    /// - Returns: The decoded value.
    /// - Throws: Any error thrown by ``data(fileName:)``, or a `DecodingError` if the file is not
    ///   JSON or does not contain a value of this type.
    public func load<Value: Decodable>(
        type: Value.Type, fileName: String, decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, fromBody: try data(fileName: fileName))
    }

    private var folders: [URL] {
        [folder] + ["Fixtures", "Resources"].map(folder.appendingPathComponent)
    }

    /// The names of the files with an extension in the searched folders. To reveal a misspelt name,
    /// an error lists the first ten.
    private var neighbours: [String] {
        folders.flatMap { folder in
            let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
            return (files ?? []).filter { !($0 as NSString).pathExtension.isEmpty }.sorted()
        }
    }
}
