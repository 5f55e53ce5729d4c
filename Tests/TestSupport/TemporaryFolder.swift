/// A folder that is removed when it is no longer used.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file, in place of an earlier one, and returns its URL.
    @discardableResult
    package func write(_ data: Data, _ name: String = "file.bin") throws -> URL {
        let file = url.appending(path: name)
        try data.write(to: file)
        return file
    }

    @discardableResult
    package func write(_ text: String, _ name: String = "file.bin") throws -> URL {
        try write(Data(text.utf8), name)
    }
}
