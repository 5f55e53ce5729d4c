import Foundation

/// The steps of one stream, in order: make, open, validate, parse each piece.
///
/// The parser is called as ``StreamParser`` describes.
final class StreamFlow<T: StreamedAPIRequest>:
    @unchecked Sendable  // One task uses it at a time: see `isReading`.
{
    typealias Element = T.Parser.Element

    /// The status and the headers, as soon as they have arrived.
    var response: HTTPURLResponse? { received.withLock { $0 } }

    // Copies of an iterator share this object, and two tasks of one actor may use them at the same
    // time. So these two have locks, and the rest is used only while `isReading` is true.
    private let received = Locked<HTTPURLResponse?>(nil)
    private let isReading = Locked(false)

    private let load: LoadFlow<T>
    private let input: T.RequestDataType
    private var request: URLRequest?
    /// The parser of the response, after it was accepted.
    private var parser: T.Parser?
    /// The rest of the body. Nil before the response was accepted, and after the last piece.
    private var pieces: HTTPBody.AsyncIterator?
    private var isOver = false

    init(_ load: LoadFlow<T>, input: T.RequestDataType) {
        self.load = load
        self.input = input
    }

    /// Suspends until elements have been parsed, and returns them. The first call sends the request.
    ///
    /// - Returns: At least one element, or nil at the end. Every later call returns nil, also after
    ///   an error.
    /// - Throws: The error of a stage. If another task is in this function, the underlying error is
    ///   ``BodyReadTwiceError``, and the stream continues for that task.
    nonisolated(nonsending) func next() async throws(APIRequestError) -> [Element]? {
        guard isReading.setIfFalse() else {
            throw load.failure(.transport, nil, underlying: BodyReadTwiceError())
        }
        defer { isReading.withLock { $0 = false } }
        if isOver { return nil }
        do {
            let elements = try await nextElements()
            if !elements.isEmpty { return elements }
            end()
            return nil
        } catch {
            end()
            throw error
        }
    }

    /// Ends the transfer.
    private func end() {
        isOver = true
        (parser, pieces) = (nil, nil)
    }

    private nonisolated(nonsending) func nextElements() async throws(APIRequestError) -> [Element] {
        if parser == nil { try await open() }
        try checkNotCancelled()
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

    /// Sends the request, and checks its response.
    private nonisolated(nonsending) func open() async throws(APIRequestError) {
        let request = try load.makeRequest(from: input)
        self.request = request
        let (body, http) = try await head(of: request)
        do {
            try load.apiRequest.validateResponse(data: Data(), response: http)
        } catch {
            let data = try await beginning(of: body)
            throw rejection(.validate, data, refusal(of: http, data) ?? error)
        }
        do {
            let parser = try load.apiRequest.makeParser(for: http)
            try parser.checkContentType(of: http)
            if !parser.isComplete { pieces = body.makeAsyncIterator() }
            self.parser = parser
        } catch {
            throw rejection(.parse, try await beginning(of: body), error)
        }
    }

    private nonisolated(nonsending) func head(of request: URLRequest)
        async throws(APIRequestError) -> (HTTPBody, HTTPURLResponse)
    {
        try checkNotCancelled()
        do {
            let (body, http) = try await load.session.stream(request)
            received.withLock { $0 = http }
            try Task.checkNotCancelled()
            return (body, http)
        } catch {
            throw transportFailure(error)
        }
    }

    private nonisolated(nonsending) func nextPiece() async throws(APIRequestError) -> Data? {
        do {
            return try await pieces?.next()
        } catch {
            throw transportFailure(error)
        }
    }

    /// Reads the beginning of the body of a response that is not parsed, for the error.
    ///
    /// - Returns: What arrived, even if the body ended with an error: the refusal matters more.
    /// - Throws: The error of a cancellation.
    private nonisolated(nonsending) func beginning(of body: HTTPBody)
        async throws(APIRequestError) -> Data
    {
        let data = await body.beginning()
        try checkNotCancelled()
        return data
    }

    /// The error of a refused response, which may describe its body. Nil if the body makes it
    /// acceptable.
    private func refusal(of http: HTTPURLResponse, _ data: Data) -> (any Error)? {
        do {
            try load.apiRequest.validateResponse(data: data, response: http)
            return nil
        } catch {
            return error
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
            throw rejection(.parse, nil, error)
        }
    }

    private func checkNotCancelled() throws(APIRequestError) {
        if Task.isCancelled { throw transportFailure(URLError(.cancelled)) }
    }

    private func transportFailure(_ error: any Error) -> APIRequestError {
        load.failure(
            .transport, request, response, underlying: error, isCancellation: Task.isCancelled)
    }

    private func rejection(
        _ stage: APIRequestError.Stage, _ data: Data?, _ error: any Error
    ) -> APIRequestError {
        // An observer gets the end of the stream before the error.
        end()
        return load.rejection(stage, request, response, data, error)
    }
}

extension StreamFlow
where T: Sendable, T.RequestDataType: Sendable, T.Parser.Element: Sendable {
    /// Does the same as `next()`, off the caller's actor.
    @concurrent
    func nextInBackground() async throws(APIRequestError) -> [Element]? { try await next() }
}
