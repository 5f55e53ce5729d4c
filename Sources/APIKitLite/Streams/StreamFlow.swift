import Foundation

/// Performs the steps of one stream in order: makes and sends the request, validates the response,
/// and parses each piece of the body.
///
/// If the body is already open, only parses it. The parser is called as ``StreamParser`` describes.
final class StreamFlow<T: StreamedAPIRequest>:
    @unchecked Sendable  // One task uses it at a time: see `isReading`.
{
    typealias Element = T.Parser.Element

    var response: HTTPURLResponse? { received.withLock { $0 } }

    // Copies of an iterator share this object, and two tasks of one actor can use the copies
    // concurrently. The next two properties therefore have locks, and all other properties change
    // only while `isReading` is true.
    private let received = Locked<HTTPURLResponse?>(nil)
    private let isReading = Locked(false)

    private let apiRequest: T
    private let input: T.RequestDataType
    private let body: HTTPBody?
    private let start: Load
    private(set) var load: Load
    /// The parser for the response. Nil until the response is accepted.
    private(set) var parser: T.Parser?
    /// The rest of the body. Nil until the response is accepted, and after the last piece to parse.
    private var pieces: HTTPBody.AsyncIterator?
    /// The beginning of the body, which is kept until an element has been parsed.
    private var beginning: Data? = Data()
    /// The elements parsed but not yet returned.
    private var elements: ArraySlice<Element> = []
    /// The parser's error, which is thrown after the pending `elements` have been returned.
    private var failure: APIRequestError?
    private var isOver = false

    init(_ apiRequest: T, input: T.RequestDataType, _ load: Load, _ body: HTTPBody? = nil) {
        self.apiRequest = apiRequest
        self.input = input
        self.body = body
        start = load
        self.load = load
    }

    /// Suspends until an element is parsed, and returns the element, or nil at the end and after an
    /// error. The first call sends the request, unless the body is already open.
    ///
    /// If `isConcurrent` is true, the functions of the request and the parser run off the caller's
    /// actor, and the request, its input and its elements must be `Sendable`. Unless `isReporting`
    /// is false, observers are notified of a response that was not accepted or could not be parsed.
    ///
    /// - Throws: An error from any stage. If another task is in this function, the underlying error
    ///   is ``TransportError/bodyReadTwice``, and the stream continues for the other task.
    nonisolated(nonsending) func next(
        isReporting: Bool = true, isConcurrent: Bool = false
    ) async throws(APIRequestError) -> Element? {
        let hasOtherReader = isReading.withLock { isReading in
            defer { isReading = true }
            return isReading
        }
        if hasOtherReader { throw start.failure(.transport, TransportError.bodyReadTwice) }
        defer { isReading.withLock { $0 = false } }
        // A cancelled task throws the cancellation's error instead of returning pending elements.
        if !isOver, elements.isEmpty || Task.isCancelled {
            do {
                if isConcurrent { try await readInBackground() } else { try await read() }
                if elements.isEmpty { end() }
            } catch {
                // An observer receives the end of the stream before the error.
                end()
                throw isReporting ? load.notifyingObservers(of: error) : error
            }
        }
        return elements.popFirst()
    }

    /// Returns the stream's error for an error that the parser threw.
    private func parseFailure(_ error: any Error) -> APIRequestError {
        // A closure that decodes an event can throw an `APIRequestError` without a request.
        let error = (error as? APIRequestError)?.thrown ?? error
        var data = (error as? DecodingError)?.element
        switch error {
        case StreamError.unexpectedContentType: data = beginning
        case StreamError.unexpectedJSON(let json): data = Data(json.utf8)
        default: break
        }
        return load.failure(.parse, error, data)
    }

    private func end() {
        isOver = true
        elements = []
        pieces = nil
    }

    @concurrent
    private func readInBackground() async throws(APIRequestError) { try await read() }

    /// Reads pieces of the body until a piece completes an element, or nothing is left to parse.
    private nonisolated(nonsending) func read() async throws(APIRequestError) {
        if parser == nil { try await open() }
        if Task.isCancelled { throw load.failure(.transport, URLError(.cancelled)) }
        var parsed: [Element] = []
        while parsed.isEmpty, pieces != nil {
            let piece: Data?
            do {
                piece = try await pieces?.next()
            } catch {
                throw load.failure(.transport, error)
            }
            do {
                if let piece, beginning?.count ?? .max < 1 << 16 { beginning?.append(piece) }
                try parser!.parseNext(piece, into: &parsed)
                if piece == nil || parser!.isComplete { pieces = nil }
            } catch {
                pieces = nil
                failure = parseFailure(error)
            }
        }
        if !parsed.isEmpty { beginning = nil }
        if parsed.isEmpty, let failure { throw failure }
        elements = parsed[...]
    }

    private nonisolated(nonsending) func open() async throws(APIRequestError) {
        defer { received.withLock { $0 = load.response } }
        let body: HTTPBody
        let http: HTTPURLResponse
        if let open = self.body {
            (body, http) = (open, load.response ?? .status(200))
        } else {
            let request = try load.makeRequest { try apiRequest.makeRequest(from: input) }
            (body, http) = try await load.send(request, awaiting: .head())
            try await load.validate(body, http)
        }
        do {
            let parser = try apiRequest.acceptingParser(for: http)
            if !parser.isComplete { pieces = body.makeAsyncIterator() }
            self.parser = parser
        } catch {
            throw await load.refusal(.parse, error, body)
        }
    }
}
