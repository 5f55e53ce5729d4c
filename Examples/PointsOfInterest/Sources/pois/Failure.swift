import APIKitLite
import APIKitLiteTesting
import Foundation
import PointsOfInterest

/// One sentence about a load that failed, which names the server.
package func sentence(about error: APIRequestError, from baseURL: URL) -> String {
    let reason: String
    if let refusal = try? error.decodeBody(Refusal.self), let status = error.statusCode {
        reason = "it answered \(status): \(refusal.error.printable)"
    } else if error.stage == .parse {
        reason = "its answer is not a JSON array of places."
    } else {
        let sentence = error.errorDescription ?? "\(error)"
        reason = sentence.prefix(1).lowercased() + sentence.dropFirst()
    }
    return "Cannot load places from \(shown(baseURL)): \(reason)"
}

/// A URL without the parts in which secrets are sent.
private func shown(_ url: URL) -> String {
    var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    components?.user = nil
    components?.password = nil
    components?.query = nil
    return components?.string ?? "the server"
}

/// One sentence about a server that did not start.
package func sentence(about error: LoopbackServerError) -> String {
    switch error {
    case .portInUse(let port):
        "Port \(port) is in use; choose another, or 0 for any that is free."
    case .cannotListen(let port, let reason):
        "Port \(port) cannot be used (\(reason)); choose another, or 0 for any that is free."
    }
}
