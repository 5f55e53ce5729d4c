/// An error that determines the status with which a ``LoopbackServer`` answers.
///
/// For any other error, the status is 500.
protocol AnswerableOverHTTP: Error {
    var status: Int { get }
}

/// An error in a client's request, and the status with which the server answers it.
struct HTTPRequestError: AnswerableOverHTTP, CustomStringConvertible, Equatable {
    var status: Int
    var description: String

    init(_ status: Int, _ description: String) {
        self.status = status
        self.description = description
    }

    /// Creates the error for a malformed request, with the status 400.
    init(_ description: String) {
        self.init(400, description)
    }
}
