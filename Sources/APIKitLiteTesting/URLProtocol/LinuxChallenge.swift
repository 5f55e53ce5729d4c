import APIKitLite
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

/// A 401 that asks for Basic credentials, the only challenge that Foundation on Linux knows.
struct Challenge: Sendable {
    enum Outcome: Sendable {
        case credential(URLCredential)
        /// The 401 is the answer.
        case none
        case cancel
    }

    fileprivate let response: HTTPURLResponse
    fileprivate let space: URLProtectionSpace
    /// How many credentials were refused before.
    fileprivate let failures: Int

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
    /// Asks the client's delegate for a credential, as Foundation does for a real server; without
    /// one, or where it says `performDefaultHandling`, what the session's storage has is tried once.
    ///
    /// Foundation itself would send the credential to the real host.
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
        // The delegate of an exchange would pass the question on, and lose the body of the 401.
        let isExchange = task.delegate is any ExchangeDelegate
        let asked = isExchange ? session.delegate as? any URLSessionTaskDelegate : task.delegate
        guard let delegate = asked, challenge.failures < Self.mostCredentials else {
            return completion(fallback)
        }
        let question = URLAuthenticationChallenge(
            protectionSpace: challenge.space, proposedCredential: proposed,
            previousFailureCount: challenge.failures, failureResponse: challenge.response,
            error: nil, sender: NobodyToTell())
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

    // A delegate that gives the same credential for ever goes on for ever over a real connection.
    private static var mostCredentials: Int { 20 }
}

extension URLRequest {
    func authorized(by credential: URLCredential) -> URLRequest {
        let text = "\(credential.user ?? ""):\(credential.password ?? "")"
        var request = self
        request.setValue(
            "Basic " + Data(text.utf8).base64EncodedString(), forHTTPHeaderField: "Authorization")
        return request
    }
}

/// A completion of which only the first call counts.
struct Once<Value: Sendable>: Sendable {
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

/// A challenge needs a sender, which only the connections of the past were told anything by.
private final class NobodyToTell: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
#endif
