import Foundation

/// The reason why a download failed, other than a network error or a refused status.
///
/// A download writes to a part: a file with the name of the target and `.part`.
public enum DownloadError: DescribedError, Equatable, Sendable {
    /// The request has another method than `GET`, or a body.
    case notAGet(method: String)
    /// The request has a field that the download sets itself: `Range` or `If-Range`.
    case reservedField(String)
    /// The URL of the target does not name a file.
    case notAFile(URL)
    /// Another download, in this process or another one, writes the same part.
    case fileInUse(URL)
    /// The part was replaced, removed or shortened while the download wrote it.
    case partChanged(URL)
    /// A step on the disk failed. The code is the system's, such as `.ENOSPC`.
    case file(Step, path: String, code: POSIXErrorCode)
    /// The server sent more bytes than it had announced.
    case wrongLength(expected: Int64, received: Int64)

    /// The steps of a download on the disk.
    public enum Step: Sendable {
        /// The part is opened and locked.
        case open
        /// Received bytes are written.
        case write
        /// The complete part gets the name of the file.
        case rename
    }

    /// A sentence that says what happened and, where it helps, what to do.
    public var description: String {
        switch self {
        case .notAGet(let method):
            "A download sends GET without a body, not \(method). Load the response instead."
        case .reservedField(let name):
            "The request has the field \(name), which a download sets itself. Remove it."
        case .notAFile(let url):
            url.isFileURL
                ? "\(url.path) is not the name of a file. A download needs one."
                : "A download needs a file: URL as its target, not \(url.scheme ?? "a relative one")."
        case .fileInUse(let url):
            "Another download writes \(url.lastPathComponent)."
        case .partChanged(let url):
            """
            \(url.lastPathComponent).part was changed during the download by another program or \
            task. Only the download may change it.
            """
        case .file(.open, let path, .ENOENT):
            """
            The folder \((path as NSString).deletingLastPathComponent) does not exist. Create it \
            before the download.
            """
        case .file(.open, let path, let code):
            "\(path) could not be opened for writing: \(code.text)."
        case .file(.write, let path, let code): "\(path) could not be written: \(code.text)."
        case .file(.rename, let path, let code): "\(path) could not be created: \(code.text)."
        case .wrongLength(let expected, let received):
            "The server announced \(byteCount(expected)) and sent \(byteCount(received))."
        }
    }
}
