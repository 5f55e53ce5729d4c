import Foundation

/// The steps of one stream, in order: make, open, validate, parse each piece.
///
/// The parser is called as ``StreamParser`` describes.
final class StreamFlow<T: StreamedAPIRequest>:
    @unchecked Sendable  // One task uses it at a time: see `isReading`.
{
    typealias Element = T.Parser.Element

    var response: HTTPURLResponse? { received.withLock { $0 } }

    // Copies of an iterator share this object, and two tasks of one actor may use them at the same
    // time. So these two have locks, and the rest is used only while `isReading` is true.
    private let received = Locked<HTTPURLResponse?>(nil)
    private let isReading = Locked(false)

    private let flow: LoadFlow<T>
    private let input: T.RequestDataType
    private var load: Load
    /// The parser of the response, after it was accepted.
    private(set) var parser: T.Parser?
    /// The rest of the body. Nil before the response was accepted, and after the last piece.
    private var pieces: HTTPBody.AsyncIterator?
    private var isOver = false

    init(_ flow: LoadFlow<T>, input: T.RequestDataType) {
        self.flow = flow
        self.input = input
        load = flow.load
    }

    /// Suspends until elements have been parsed, and returns them. The first call sends the
    /// request.
    ///
    /// - Parameter isReporting: Whether the session is informed of a response that was not accepted
    ///   or parsed.
    /// - Returns: At least one element, or nil at the end. Every later call returns nil, even after
    ///   an error.
    /// - Throws: The error of a stage. If another task is in this function, the underlying error is
    ///   ``TransportError/bodyReadTwice``, and the stream continues for that task.
    nonisolated(nonsending) func next(
        isReporting: Bool = true
    ) async throws(APIRequestError) -> [Element]? {
        guard isReading.setIfFalse() else {
            throw flow.load.failure(.transport, TransportError.bodyReadTwice)
        }
        defer { isReading.withLock { $0 = false } }
        if isOver { return nil }
        do {
            let elements = try await nextElements()
            if !elements.isEmpty { return elements }
            end()
            return nil
        } catch {
            // An observer gets the end of the stream before the error.
            end()
            throw isReporting ? load.reported(error) : error
        }
    }

    private func end() {
        isOver = true
        pieces = nil
    }

    private nonisolated(nonsending) func nextElements() async throws(APIRequestError) -> [Element] {
        if parser == nil { try await open() }
        if Task.isCancelled { throw transportFailure(URLError(.cancelled)) }
        // The elements of the last call have been delivered: the parser may throw an error now.
        var elements = try parse(Data())
        while elements.isEmpty, pieces != nil {
            if let piece = try await nextPiece() {
                elements = try parse(piece)
                MainActorParsing.didParse(T.self, piece, on: #isolation)
            } else {
                pieces = nil
                elements = try parsing { try $0.finish() }
            }
        }
        return elements
    }

    private nonisolated(nonsending) func open() async throws(APIRequestError) {
        let request = try flow.makeRequest(from: input)
        defer { received.withLock { $0 = load.response } }
        let (body, http) = try await load.open(
            request, awaiting: .head(), validate: flow.apiRequest.validateResponse)
        do {
            let parser = try flow.apiRequest.makeParser(for: http)
            try parser.checkContentType(of: http)
            if !parser.isComplete { pieces = body.makeAsyncIterator() }
            self.parser = parser
        } catch {
            throw await load.refusal(.parse, error, body)
        }
    }

    private nonisolated(nonsending) func nextPiece() async throws(APIRequestError) -> Data? {
        do {
            return try await pieces?.next()
        } catch {
            throw transportFailure(error)
        }
    }

    /// Parses a piece, unless the last element has been parsed.
    private func parse(_ piece: Data) throws(APIRequestError) -> [Element] {
        try parsing { parser in parser.isComplete ? [] : try parser.parse(piece) }
    }

    /// Calls the parser, and ends the transfer if the last element has been parsed.
    private func parsing(
        _ parse: (inout T.Parser) throws -> [Element]
    ) throws(APIRequestError) -> [Element] {
        do {
            let elements = try parse(&parser!)
            if parser!.isComplete { pieces = nil }
            return elements
        } catch {
            throw load.failure(.parse, error)
        }
    }

    private func transportFailure(_ error: any Error) -> APIRequestError {
        load.failure(.transport, error, isCancellation: Task.isCancelled)
    }
}

extension StreamFlow
where T: Sendable, T.RequestDataType: Sendable, T.Parser.Element: Sendable {
    /// Does the same as `next()`, off the caller's actor.
    @concurrent
    func nextInBackground() async throws(APIRequestError) -> [Element]? { try await next() }
}
