import APIKitLite
import Foundation

// A client of a language model's API, as a package publishes it: it has errors, a token store, a
// retry rule and streams of its own. Each setting of the compiler builds this file.

/// What can go wrong in an `Assistant`.
nonisolated enum AssistantError: Error, Equatable {
    /// The API refused a request, and says why.
    case refused(status: Int, reason: String)
    /// The user must sign in. The token store throws it.
    case signedOut
    case cancelled
    /// No connection could be made, or it was lost.
    case unreachable
    /// The API responded with something else than it should.
    case unreadable(String)

    init(_ error: APIRequestError) {
        self =
            switch error.underlying {
            case let error as AssistantError: error
            case _ where error.isCancellation: .cancelled
            case is URLError: .unreachable
            default: .unreadable(error.localizedDescription)
            }
    }
}

/// The tokens of a user, behind an actor as in a keychain.
actor TokenStore {
    private(set) var renewalCount = 0
    private var token: String?
    private let renew: @Sendable () async throws -> String

    init(token: String? = nil, renew: @escaping @Sendable () async throws -> String) {
        self.token = token
        self.renew = renew
    }

    /// Returns the token, and renews it if it is missing or was rejected.
    func token(replacing rejected: String?) async throws -> String {
        if let token, token != rejected { return token }
        renewalCount += 1
        let renewed = try await renew()
        token = renewed
        return renewed
    }
}

nonisolated struct Assistant: Sendable {
    private let baseURL: URL
    private let session: any HTTPSession

    init(
        baseURL: URL, tokens: TokenStore, over session: any HTTPSession,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.baseURL = baseURL
        self.session =
            session
            .authenticated(for: baseURL) { rejection in
                try await tokens.token(replacing: rejection.credential)
            }
            .retrying(clock: clock) { Self.decision(after: $0) }
    }

    /// The rule of the API: a repeated request tells the number of attempts before it, and a 429
    /// without `Retry-After` means five seconds.
    static func decision(after attempt: RetryAttempt) -> RetryDecision {
        guard case .retry(var delay, _) = attempt.decision else { return .finish }
        if attempt.response?.statusCode == 429, attempt.retryAfter == nil { delay = .seconds(5) }
        let next = try? attempt.request.header("X-Retry-Count", "\(attempt.number)")
        return .retry(after: delay, with: next)
    }

    func models() async throws(AssistantError) -> [Model] {
        try await call(ModelsRequest(baseURL: baseURL), ()).data
    }

    /// Returns the words of an answer as they arrive. The reader's speed limits the server's.
    func answer(to question: String) -> AsyncThrowingStream<String, any Error> {
        let words = session.stream(AnswerRequest(baseURL: baseURL), question).makeAsyncIterator()
        return AsyncThrowingStream(unfolding: {
            var words = words  // Copies read the same response.
            do throws(APIRequestError) {
                return try await words.next()
            } catch  where error.isCancellation {
                return nil  // Its reader has left.
            } catch {
                throw AssistantError(error)
            }
        })
    }

    private func call<R: APIRequest & Sendable>(
        _ request: R, _ input: R.RequestDataType
    ) async throws(AssistantError) -> R.ResponseDataType
    where R.RequestDataType: Sendable, R.ResponseDataType: Sendable {
        do {
            return try await session.load(request, input)
        } catch {
            throw AssistantError(error)
        }
    }
}

nonisolated struct Model: Decodable, Equatable, Sendable {
    var id: String
}

nonisolated private struct Problem: Decodable {
    struct Reason: Decodable { var message: String }
    var error: Reason

    /// Throws the error of the API, if a response has one.
    static func check(_ data: Data, _ response: HTTPURLResponse) throws {
        guard !(200..<300).contains(response.statusCode) else { return }
        let problem = try? JSONDecoder().decode(Problem.self, from: data)
        throw AssistantError.refused(
            status: response.statusCode, reason: problem?.error.message ?? "")
    }
}

nonisolated private struct ModelsRequest: APIRequest {
    struct Page: Decodable, Sendable { var data: [Model] }

    let baseURL: URL

    func makeRequest(from: Void) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: "/models")
    }

    func validateResponse(data: Data, response: HTTPURLResponse) throws {
        try Problem.check(data, response)
    }

    func parseResponse(data: Data) throws -> Page {
        try JSONDecoder().decode(Page.self, from: data)
    }
}

nonisolated private struct AnswerRequest: StreamedAPIRequest {
    private struct Word: Decodable { var text: String }

    let baseURL: URL

    func makeRequest(from question: String) throws -> URLRequest {
        try URLRequest("POST", baseURL, path: "/answers").jsonBody(["question": question])
            .header("Idempotency-Key", UUID().uuidString)
    }

    func validateResponse(data: Data, response: HTTPURLResponse) throws {
        try Problem.check(data, response)
    }

    func makeParser(for response: HTTPURLResponse) -> some StreamParser<String> {
        ServerSentEvents().compactMap { event in
            let (data, decoder) = (Data(event.data.utf8), JSONDecoder())
            if event.event == "error" {
                let problem = try decoder.decode(Problem.self, from: data)
                throw AssistantError.refused(status: 200, reason: problem.error.message)
            }
            return try event.event == "word" ? decoder.decode(Word.self, from: data).text : nil
        }
    }
}
