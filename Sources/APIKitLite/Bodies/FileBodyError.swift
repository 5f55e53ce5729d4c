import Foundation

/// An error for a file that cannot be sent as a body, or whose size changes before it was sent.
///
/// `fileBody` and `multipartBody` throw it when a request is built. A session throws it when the
/// request is sent. A retry policy does not retry it.
public struct FileBodyError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// What is wrong with the file.
    public enum Reason: Equatable, Sendable {
        /// There is no file at this URL.
        case missing
        /// The URL is not a `file:` URL, has a NUL, or names a folder, a pipe or a device.
        case notAFile
        /// The system does not open or read the file.
        case unreadable(POSIXErrorCode)
        /// The size in bytes is another one than when the request was built.
        case resized(from: Int, to: Int)
    }

    /// The URL of the file.
    public let file: URL
    /// What is wrong with it.
    public let reason: Reason

    init(_ file: URL, _ reason: Reason) {
        self.file = file
        self.reason = reason
    }

    /// A sentence for a user, with the name of the file and what is wrong with it.
    public var errorDescription: String? { "The file \"\(file.lastPathComponent)\" \(predicate)." }

    /// A sentence with the path of the file and what is wrong with it.
    public var description: String {
        let place = file.isFileURL ? file.path(percentEncoded: false) : file.absoluteString
        return "The file \(place.debugDescription) \(predicate)."
    }

    private var predicate: String {
        switch reason {
        case .missing: "does not exist"
        case .notAFile: "is not a regular file, so it cannot be a request body"
        case .unreadable(let code): "cannot be read (\(code.text))"
        case .resized(let old, let new):
            "changed its size in bytes from \(old) to \(new) after the request was built"
        }
    }
}

extension POSIXErrorCode {
    /// The system's text, such as `No space left on device`.
    var text: String { String(cString: strerror(rawValue)) }
}
