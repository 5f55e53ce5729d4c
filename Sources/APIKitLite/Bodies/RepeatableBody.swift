import Foundation

/// A request body of bytes and files, read from the start each time it is sent.
///
/// A `URLRequest` carries the body as a ``RepeatableBodyStream``.
struct RepeatableBody: Sendable {
    /// A file and its size when the body was made.
    struct File: Sendable {
        let url: URL
        /// The size in bytes.
        let size: Int

        init(_ url: URL) throws(FileBodyError) {
            self.url = url
            size = try sizeOfFile(at: url)
        }

        /// Checks that the file is still readable and its size is unchanged.
        func check() throws(FileBodyError) {
            let current = try sizeOfFile(at: url)
            guard current == size else {
                throw FileBodyError.resized(url, from: size, to: current)
            }
        }
    }

    enum Segment: Sendable {
        case bytes(Data)
        case file(File)

        /// The size in bytes.
        var size: Int {
            switch self {
            case .bytes(let data): data.count
            case .file(let file): file.size
            }
        }
    }

    let segments: [Segment]

    /// The size of the whole body, in bytes.
    var size: Int { segments.reduce(0) { $0 + $1.size } }

    var files: [File] {
        segments.compactMap { if case .file(let file) = $0 { file } else { nil } }
    }

    func checkFiles() throws(FileBodyError) {
        for file in files { try file.check() }
    }
}

/// Returns the size of a regular file in bytes. Follows symbolic links.
///
/// The file's kind is checked before the file is opened, because opening a pipe waits for its
/// writer.
private func sizeOfFile(at url: URL) throws(FileBodyError) -> Int {
    let path = url.path(percentEncoded: false)
    // A NUL would end the path, and another file would be read.
    guard url.isFileURL, !path.contains("\0") else { throw FileBodyError.notAFile(url) }
    var status = stat()
    guard stat(path, &status) == 0 else { throw FileBodyError(url, errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileBodyError.notAFile(url) }
    guard access(path, R_OK) == 0 else { throw FileBodyError(url, errno: errno) }
    // On a watch, `Int` may have 32 bits.
    return Int(clamping: status.st_size)
}

extension FileBodyError {
    fileprivate init(_ file: URL, errno code: Int32) {
        self =
            code == ENOENT || code == ENOTDIR
            ? .missing(file) : .unreadable(file, POSIXErrorCode(rawValue: code) ?? .EIO)
    }
}
