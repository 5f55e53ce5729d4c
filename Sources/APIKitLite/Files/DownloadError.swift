import Foundation

/// The reason a download failed, if the cause was a file or the length of a response. For an
/// unsuitable request or target, the reason is a ``RequestBuildingError``.
///
/// A download writes to a part: a file named after the target, with `.part` added.
public enum DownloadError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// Another download, in this process or another process, is writing the same part.
    case fileInUse(URL)
    /// The part was replaced, removed or shortened while the download was writing it.
    case partChanged(URL)
    /// A file could not be written. The code is the system's error code, such as `.ENOSPC`.
    case file(path: String, code: POSIXErrorCode)
    /// The server sent more bytes than it had announced. Or the whole file was requested, but the
    /// response's `Content-Range` shows that the body is not the whole file.
    case wrongLength(expected: Int64, received: Int64)

    /// A sentence for the user.
    public var errorDescription: String? {
        switch self {
        case .fileInUse: "This file is already being downloaded."
        case .file(_, .ENOSPC), .file(_, .EDQUOT): "There is not enough space to save the file."
        case .file, .partChanged: "The file could not be saved."
        case .wrongLength: "The server sent a file of the wrong size."
        }
    }

    /// A message for a developer that says what happened and, where it helps, what to do.
    public var description: String {
        switch self {
        case .fileInUse(let url):
            """
            Another download is writing \(url.lastPathComponent). Start one task for each file, and \
            await it wherever the file is needed.
            """
        case .partChanged(let url):
            """
            \(url.lastPathComponent).part was changed during the download by another program or \
            task. Only the download may change it.
            """
        case .file(let path, .ENOENT):
            """
            The folder \((path as NSString).deletingLastPathComponent) does not exist. Create it \
            before the download.
            """
        case .file(let path, let code): "\(path) could not be written: \(code.text)."
        case .wrongLength(let expected, let received):
            "The server announced \(byteCount(expected)) and sent \(byteCount(received))."
        }
    }
}
