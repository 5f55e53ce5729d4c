import APIKitLite
import Foundation

/// Returns the session that all requests to one server go over: a chain of policies.
///
/// Read the chain from the network outwards: each line wraps the lines above it. Make one chain and
/// keep it, since the token and the limit are in it.
///
/// - Parameters:
///   - network: `URLSession.shared` in the program, a `MockNetwork`'s session in a test.
///   - baseURL: The server. Only its origin gets the token.
///   - timeout: How long one attempt may take.
///   - clock: The clock of the timeouts and of the waits between attempts.
///   - log: Gets one line for each event.
public func placesSession(
    over network: any HTTPSession, from baseURL: URL, timeout: Duration = .seconds(10),
    clock: any Clock<Duration> = ContinuousClock(),
    log: @escaping @Sendable (String) -> Void = { _ in }
) -> any HTTPSession {
    let tokens = Credentials(
        TokenAuthenticator(baseURL: baseURL), for: baseURL, credential: AccessToken())
    let loads = ExchangeObserver(clock: clock) { log("load \($0)") }
    // A load that is rejected is an event for both observers; it has no id, and one line is enough.
    let attempts = ExchangeObserver(clock: clock) { if $0.id != nil { log("attempt \($0)") } }

    return
        network
        .timingOut(after: timeout, clock: clock)  // each attempt
        .limited(to: 6)
        .coalescing()
        .observed(by: attempts)  // what is really sent: sign-ins and retries too
        .authenticated(by: tokens)
        .retrying(.standard, clock: clock)
        .observed(by: loads)  // one answer for each load, whatever it took
}
