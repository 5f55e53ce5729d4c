/// What the sessions of a chain tell each other about a request.
package struct SendContext: Sendable {
    /// How many mocks have passed on the request that the current task sends.
    @TaskLocal package static var passes = 0

    /// The type of the request that is loaded, such as `UserRequest`.
    var requestType: String?

    /// Which redirects of the request are followed; nil if no session of the chain has decided it.
    var redirects: RedirectRule?

    /// The number of bytes that a whole body may have; nil if no session of the chain has decided it.
    package var bodyLimit: Int?

    /// Called with the number of bytes of the body that one attempt has sent so far, and the size
    /// of the body if it is known.
    package var didSend: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)?

    /// Called when a `URLSession` sends the request again, because the server has closed a
    /// kept-alive connection.
    var didResend: (@Sendable () -> Void)?

    /// Whether the reader always comes back soon, as one that writes a file does. Then a
    /// `URLSession` on Linux waits up to 10 seconds for it, and not 100 milliseconds, before more
    /// than 2 MiB wait.
    var hasSteadyReader = false
}
