import APIKitLite
import Foundation

extension MockNetwork {
    /// Adds stubs that respond from an archive, one stub for each group of equal requests. Equal
    /// requests receive the stub's responses in the order of the archive.
    ///
    /// A request equals a recorded request if both have the same method, URL and body, and the same
    /// value for each `Range`, `If-…` and `Last-Event-ID` header of the recorded request. The order
    /// of query items is ignored. JSON, forms and multipart bodies are compared by content, and
    /// other bodies are compared by their bytes. In requests to the network's ``LoopbackServer``,
    /// the scheme, host and port are ignored.
    ///
    /// A mark in a recorded request, such as `REDACTED-1`, matches any nonempty text in its place,
    /// except in a key of JSON. A 0 in recorded JSON also matches any number that has a secret name
    /// or at least eight characters. If several recorded requests match, only those whose URL,
    /// headers and body have the most words in common with the request are considered. Their
    /// responses are used in order. So a client that sends the token of a recorded response
    /// receives the responses that were recorded with that token. A recorded 401 may stay unused if
    /// the client already has a newer token.
    ///
    /// Each request is compared with the whole archive, so the total time grows with the square of
    /// the number of requests. In a debug build, two hundred different requests take about a
    /// second.
    ///
    /// Without a clock, the pieces of a response arrive immediately. On the network's clock, the
    /// first piece arrives immediately, and recorded gaps of at least 20 ms delay the other pieces.
    ///
    /// - Parameters:
    ///   - archive: The exchanges.
    ///   - afterLast: What a request receives after its last recorded response: by default, an
    ///     error.
    ///   - times: How often each stub may respond. With `.atLeast`, whatever its number,
    ///     ``verify()`` reports each unused exchange.
    ///   - redaction: The secrets, and the names of values that differ in each run.
    ///   - fileID: The file to name in error messages if the archive was not read from a file.
    ///   - line: The line to name in error messages if the archive was not read from a file.
    /// - Returns: The stubs, in the order of each group's first request.
    @discardableResult
    public func stub(
        _ archive: HTTPArchive, then afterLast: Stub.AfterLast = .fail,
        times: Stub.Times = .atLeast(1), redacting redaction: Redaction = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> [Stub] {
        stub(
            archive,
            as: Recording(
                noun: "the archive", repeating: "network.stub(archive, then: .repeatLast)"),
            then: afterLast, times: times, redacting: redaction, sourceLocation: "\(fileID):\(line)"
        )
    }

    func stub(
        _ archive: HTTPArchive, as recording: Recording, then afterLast: Stub.AfterLast,
        times: Stub.Times, redacting redaction: Redaction, sourceLocation: String
    ) -> [Stub] {
        let redaction = redaction.hidingEnvironment
        let requests = archive.map { redaction.redacted($0.request) }
        let groups = Dictionary(grouping: archive.indices) { requests[$0].replayKey }
        var recording = recording
        recording.uses = Locked(archive.map { _ in 0 })
        recording.skipped = archive.skipped
        let stubs = groups.values.sorted { $0[0] < $1[0] }.map { numbers in
            var part = recording
            part.entries = numbers.map { archive[$0].entry($0, redaction) }
            let matcher = RequestMatcher(recorded: requests[numbers[0]], redaction) { [weak core] in
                core?.serves($0) ?? false
            }
            return Stub(
                matcher, .responses(numbers.map { .exchange(archive[$0]) }, then: afterLast),
                times: times, sourceLocation: archive[numbers[0]].origin ?? sourceLocation,
                recording: part, of: core)
        }
        core.hide(redaction)
        core.rules.withLock { $0.groups.append(Stub.Group(stubs)) }
        return stubs
    }
}

extension URLRequest {
    /// The values that the requests of one group have in common.
    fileprivate var replayKey: [String?] {
        let body = httpBody ?? Data()
        let headers = replayedHeaders.flatMap { [$0, value(forHTTPHeaderField: $0)] }
        let texts =
            [httpMethod, url?.absoluteString, exactText(body) ?? body.base64EncodedString()]
            + headers
        return texts.map { $0?.splitAtMarks.texts.joined(separator: Redaction.mark) }
    }

    /// The names of the headers on which the response depends.
    fileprivate var replayedHeaders: [String] {
        (allHTTPHeaderFields ?? [:]).keys.filter { name in
            let name = name.lowercased()
            return name == "range" || name == "last-event-id" || name.hasPrefix("if-")
        }.sorted()
    }
}

extension HTTPArchive.Exchange {
    fileprivate func entry(_ number: Int, _ redaction: Redaction) -> Recording.Entry {
        Recording.Entry(
            number: number, isUnauthorized: response?.statusCode == 401, place: place,
            text: text(redaction), words: request.words)
    }

    /// The exchange's place, such as `users.har, entry 2, recorded on 2026-11-22`; nil if the
    /// exchange was not read from a file.
    fileprivate var origin: String? {
        let day = startDate.formatted(.iso8601.year().month().day())
        return place.map { "\($0)" + (startDate == .distantPast ? "" : ", recorded on \(day)") }
    }
}

extension RequestMatcher {
    /// Creates a matcher for requests that equal a recorded request. The scheme, host and port are
    /// ignored in a request to the network's own server.
    fileprivate init(
        recorded request: URLRequest, _ redaction: Redaction,
        _ isServed: @escaping @Sendable (URL?) -> Bool
    ) {
        let reading = RequestReading(RecordedRequest(request: request))
        let url = reading.url
        let origin = "\(url.scheme)://\(url.hostAndPort)"
        self = RequestMatcher(ignored: redaction).method(reading.method)
            .adding(origin) { live in
                (live.url.scheme, live.url.host, live.url.port) == (url.scheme, url.host, url.port)
                    || isServed(live.request.url)
            } or: {
                .has("\($0.url.scheme)://\($0.url.hostAndPort)")
            }
            .path(exactly: url.path).adding(.query, exactly: reading.query)
            .adding(headers: request.replayedHeaders, bodyOf: reading)
    }
}
