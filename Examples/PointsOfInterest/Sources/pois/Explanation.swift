import APIKitLite
import Foundation

/// Returns what went wrong and what to do, for the user of the program.
package func explanation(of error: any Error) -> String {
    if let error = error as? UsageError { return error.sentence + " See --help." }
    guard let error = error as? APIRequestError else { return error.localizedDescription }
    let sentences = "\(error.localizedDescription) \(advice(about: error))"
    // A status, although this request got no response: that of the sign-in.
    let isSignIn = error.response == nil && error.underlying is UnacceptableStatusError
    return isSignIn ? "The sign-in failed. \(sentences)" : sentences
}

private func advice(about error: APIRequestError) -> String {
    switch error.underlying {
    case DownloadError.file(_, code: .ENOSPC):
        return "Free some space, or choose another file with --to."
    case DownloadError.file(let path, code: .ENOENT):
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return "Create the folder \(folder), or choose another file with --to."
    case let error as DownloadError: return "\(error) Choose another file with --to."
    case FileBodyError.resized: return "Wait until it is complete, and upload it again."
    case FileBodyError.missing(let file), FileBodyError.notAFile(let file),
        FileBodyError.unreadable(let file, _):
        let folder = file.deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            return "The folder \(folder) does not exist, either."
        }
        return "Check the path \(file.path)."
    default: break
    }
    let status = (error.underlying as? UnacceptableStatusError)?.statusCode ?? error.statusCode
    switch ((error.underlying as? URLError)?.code, status, error.stage) {
    case (.timedOut, _, _):
        return "Allow more time with --timeout, or try again later."
    case (.cannotConnectToHost, _, _), (.cannotFindHost, _, _):
        return "Check --base-url, or leave it out to use the server inside pois."
    case (_, 429, _), (_, .some(500...), _):
        return "Try again later."
    case (_, _, .parse), (_, 401, _), (_, 403, _), (_, 404, _):
        return "Check that --base-url names a server of this API."
    default:
        return "Add --verbose to see each attempt."
    }
}
