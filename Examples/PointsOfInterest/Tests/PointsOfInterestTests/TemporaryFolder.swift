import Foundation

/// A folder that is removed when it is no longer used.
final class TemporaryFolder: Sendable {
    private let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("pois-" + UUID().uuidString)

    init() {
        // A test that cannot write says so itself.
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Returns the URL of a file in the folder.
    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Returns the path of a file in the folder.
    func path(_ name: String) -> String { file(name).path }
}
