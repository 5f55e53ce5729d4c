/// An error that a ``LoopbackServer`` answers with a status of its own; every other one is a 500.
protocol AnswerableOverHTTP: Error {
    var status: Int { get }
}

/// What is wrong with a request, and the status that says so to the client.
struct HTTPRequestError: AnswerableOverHTTP, CustomStringConvertible, Equatable {
    var status: Int
    var description: String

    init(_ status: Int, _ description: String) {
        self.status = status
        self.description = description
    }

    /// A malformed request: status 400.
    init(_ description: String) {
        self.init(400, description)
    }
}
