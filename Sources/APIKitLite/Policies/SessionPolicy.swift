/// A session that wraps a session.
///
/// What it does not do itself goes to the session inside: so each requirement of ``HTTPSession``
/// but the exchange is forwarded here, once for all policies.
protocol SessionPolicy: HTTPSession {
    /// The session inside, nearer to the wire.
    var next: any HTTPSession { get }
}

extension SessionPolicy {
    /// Tells the session inside.
    public func loadDidFail(_ error: APIRequestError) {
        next.loadDidFail(error)
    }
}
