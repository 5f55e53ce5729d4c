import APIKitLite
import Foundation

/// Returns the session that all requests to one server go over: a chain of policies.
///
/// Read the chain from the network outwards: each line wraps the lines above it. Make one chain and
/// keep it, since the token and the limit are in it.
///
/// - Parameters:
///   - network: `URLSession.shared` in the program, a `MockNetwork` in a test.
///   - baseURL: The server. Only its origin gets the token.
///   - timeout: How long one attempt may take.
///   - clock: The clock of the timeouts and of the waits between attempts.
///   - log: Gets one line for each event.
public func placesSession(
    over network: any HTTPSession, from baseURL: URL, timeout: Duration = .seconds(10),
    clock: any Clock<Duration> = ContinuousClock(),
    log: @escaping @Sendable (String) -> Void = { _ in }
) -> any HTTPSession {
    let tokens = Credentials<AccessToken>(for: baseURL) { token, request in
        try request.authorization(bearer: token.value)
    } refresh: { rejection in
        // A server that needs no token rejects nothing.
        guard rejection.response != nil else { return nil }
        return try await rejection.session.load(SignInRequest(baseURL: baseURL))
    }

    return
        network
        .timingOut(after: timeout, clock: clock)  // each attempt
        .limited(to: 6)
        .coalescing()
        .observed(clock: clock) { event in  // what is really sent: sign-ins and retries too
            // A load that is rejected is an event of both sessions, and one line is enough.
            if case .rejected = event.kind { return }
            log("attempt \(event)")
        }
        .authenticated(by: tokens)
        .retrying(.standard, clock: clock)
        .observed(clock: clock) { log("load \($0)") }  // one response for each load
}
