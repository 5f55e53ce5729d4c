import Foundation

/// An error for a file that cannot be sent as a body, or whose size changes before it is sent.
///
/// `fileBody` and `multipartBody` throw this error when a request is built. A session throws it
/// when the request is sent. A retry policy does not retry a request that fails with this error.
public enum FileBodyError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// There is no file at this URL.
    case missing(URL)
    /// The URL is not a `file:` URL, contains a NUL, or names a folder or a special file.
    case notAFile(URL)
    /// The system failed to open or read the file.
    case unreadable(URL, POSIXErrorCode)
    /// The file's size, in bytes, has changed since the request was built.
    case resized(URL, from: Int, to: Int)

    /// A sentence that tells the user the name of the file and what is wrong with the file.
    public var errorDescription: String? { sentence { "\"\($0.lastPathComponent)\"" } }

    /// A sentence that gives the file's path or URL and says what is wrong with the file.
    public var description: String {
        sentence { file in
            (file.isFileURL ? file.path(percentEncoded: false) : file.absoluteString)
                .debugDescription
        }
    }

    private func sentence(_ name: (URL) -> String) -> String {
        switch self {
        case .missing(let file): "The file \(name(file)) does not exist."
        case .notAFile(let file):
            "\(name(file)) is not a regular file, so it cannot be sent."
        case .unreadable(let file, let code):
            "The file \(name(file)) cannot be read (\(code.text))."
        case .resized(let file, let old, let new):
            "The file \(name(file)) changed from \(byteCount(old)) to \(byteCount(new)) before it was sent."
        }
    }
}

extension POSIXErrorCode {
    /// The system's text, such as `No space left on device`.
    var text: String { String(cString: strerror(rawValue)) }
}
