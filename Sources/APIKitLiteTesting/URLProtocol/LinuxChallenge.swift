import APIKitLite
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

/// A 401 response that asks for Basic credentials (RFC 7617).
///
/// Foundation on Linux supports no other challenge.
struct Challenge: Sendable {
    /// What to do about a challenge.
    enum Outcome: Sendable {
        /// Repeat the request with this credential.
        case credential(URLCredential)
        /// Deliver the 401 as the answer.
        case none
        /// Fail with `URLError.cancelled`.
        case cancel
    }

    fileprivate let response: HTTPURLResponse
    fileprivate let space: URLProtectionSpace
    /// How many credentials the mock has refused before.
    fileprivate let failures: Int

    /// Reads the challenge of a response.
    ///
    /// - Parameters:
    ///   - response: Any response.
    ///   - failures: How many credentials the mock has refused before.
    /// - Returns: `nil` if the response has no Basic challenge.
    init?(_ response: HTTPURLResponse, failures: Int) {
        guard response.statusCode == 401, let url = response.url, let host = url.host(),
            let field = response.value(forHTTPHeaderField: "WWW-Authenticate"),
            let basic = field.range(of: "basic", options: .caseInsensitive)
        else { return nil }
        let realm = field[basic.upperBound...].firstMatch(of: /(?i)realm\s*=\s*"?([^",]*)/)
        self.response = response
        self.failures = failures
        space = URLProtectionSpace(
            host: host, port: url.port ?? (url.scheme == "https" ? 443 : 80), protocol: url.scheme,
            realm: realm.map { String($0.1) },
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    }
}

extension URLSessionTask? {
    /// Asks the client's delegate for a credential, as Foundation does for a real server.
    ///
    /// Without a delegate, or if it chooses `performDefaultHandling`, the credential of the
    /// session's storage is tried once. Foundation must not handle the challenge itself: it would
    /// send the credential to the real host.
    func ask(
        _ challenge: Challenge, completion: @escaping @Sendable (Challenge.Outcome) -> Void
    ) {
        guard let task = self, let session = task.mirroredSession else { return completion(.none) }
        let storage = session.configuration.urlCredentialStorage
        let stored = storage?.credentials(for: challenge.space)?.min { $0.key < $1.key }?.value
        let proposed =
            challenge.failures > 0
            ? nil : stored ?? storage?.defaultCredential(for: challenge.space)
        let fallback = proposed.map(Challenge.Outcome.credential) ?? .none
        // An `ExchangeDelegate` asks the app's delegate too, but loses the body of the 401.
        let exchange = task.delegate as? any ExchangeDelegate
        let asked = exchange.map { $0.appDelegate(of: session) } ?? task.delegate
        guard let delegate = asked, challenge.failures < Self.mostCredentials else {
            return completion(fallback)
        }
        let question = URLAuthenticationChallenge(
            protectionSpace: challenge.space, proposedCredential: proposed,
            previousFailureCount: challenge.failures, failureResponse: challenge.response,
            error: nil, sender: UnusedSender())
        let completion = Once(completion)
        session.delegateQueue.addOperation {
            delegate.urlSession(session, task: task, didReceive: question) {
                disposition, credential in
                switch disposition {
                case .useCredential: completion(credential.map { .credential($0) } ?? .none)
                case .performDefaultHandling: completion(fallback)
                case .cancelAuthenticationChallenge, .rejectProtectionSpace: completion(.cancel)
                }
            }
        }
    }

    // Over a real connection, a delegate that always gives the same credential causes an endless
    // loop. Here the loop ends.
    private static var mostCredentials: Int { 20 }
}

extension URLRequest {
    /// Returns the request with the credential in an `Authorization` field (RFC 7617, section 2).
    func authorized(by credential: URLCredential) -> URLRequest {
        let text = "\(credential.user ?? ""):\(credential.password ?? "")"
        var request = self
        request.setValue(
            "Basic " + Data(text.utf8).base64EncodedString(), forHTTPHeaderField: "Authorization")
        return request
    }
}

/// A completion handler that ignores every call after the first. A lock owns its state.
struct Once<Value: Sendable>: Sendable {
    /// The completion handler. `Locked` must not store a closure directly.
    private struct Completion {
        let call: @Sendable (Value) -> Void
    }

    private let completion: Locked<Completion?>

    init(_ call: @escaping @Sendable (Value) -> Void) {
        completion = Locked(Completion(call: call))
    }

    func callAsFunction(_ value: Value) {
        let first = completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        first?.call(value)
    }
}

/// A sender that does nothing.
///
/// `URLAuthenticationChallenge` requires one, but only clients of `NSURLConnection` call it.
private final class UnusedSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
#endif
