import APIKitLite
import Foundation

extension MockNetwork {
    /// Adds stubs that answer from an archive: one for each group of equal requests, which gets its
    /// answers in the order of the archive.
    ///
    /// Requests are equal if their methods, URLs, bodies and headers `Range`, `If-…` and
    /// `Last-Event-ID` are equal. The order of the query does not count. JSON and forms are
    /// compared by their content, other bodies by their bytes. For a request to ``serve(port:)``,
    /// the host does not count. A placeholder such as `REDACTED-1` in a recorded request matches
    /// any text, and becomes that text in the answers.
    ///
    /// Without a clock, the pieces of an answer come immediately. On the network's clock, the first
    /// piece comes immediately, and the others come after their recorded gaps.
    ///
    /// - Parameters:
    ///   - archive: The exchanges.
    ///   - afterLast: What a request gets after the last answer to it: by default, an error.
    ///   - times: How often each stub may answer. With `.atLeast(1)`, ``verify(fileID:line:)`` reports
    ///     each exchange that was not used.
    ///   - fileID: The file that error texts name if the archive comes from no file.
    ///   - line: The line that error texts name if the archive comes from no file.
    /// - Returns: The stubs: first those whose requests have placeholders, then the others, each in the
    ///   order of the first request of the group.
    @discardableResult
    public func stub(
        _ archive: HTTPArchive, then afterLast: Stub.AfterLast = .fail,
        times: Stub.Times = .atLeast(1), fileID: StaticString = #fileID, line: UInt = #line
    ) -> [Stub] {
        stub(
            archive,
            as: Recording(
                noun: "the archive", repeating: "network.stub(archive, then: .repeatLast)"),
            then: afterLast, times: times, sourceLocation: "\(fileID):\(line)")
    }

    func stub(
        _ archive: HTTPArchive, as recording: Recording, then afterLast: Stub.AfterLast,
        times: Stub.Times, sourceLocation: String
    ) -> [Stub] {
        let values = Locked(RecordedValues())
        let parts = archive.map { ReplayParts($0.request) }
        // The last stub that matches answers, so those without placeholders come last.
        let groups = Dictionary(grouping: archive.indices) { parts[$0].key }.values.sorted {
            let (left, right) = (parts[$0[0]], parts[$1[0]])
            return left.hasVariables == right.hasVariables ? $0[0] < $1[0] : left.hasVariables
        }
        let stubs = groups.map { indices in
            let exchanges = indices.map { archive[$0] }
            var part = recording
            part.entries = exchanges.map(\.recordingEntry)
            let request = exchanges[0].request
            let isServed: @Sendable (URL?) -> Bool = { [weak core] in core?.serves($0) ?? false }
            var matcher = RequestMatcher(recorded: request, isServed)
            if parts[indices[0]].hasVariables {
                matcher.adapted = { live in
                    let filled = RecordedValues(from: request, live).filled(request)
                    return RequestMatcher(recorded: filled, isServed).criteria
                }
            }
            let responses = exchanges.map { exchange in
                MockResponse.exchange(exchange) { request in
                    let found = RecordedValues(from: exchange.request, request)
                    return values.withLock { $0.adding(found) }
                }
            }
            return core.makeStub(
                matcher, .responses(responses, then: afterLast), times: times,
                sourceLocation: part.place ?? sourceLocation, recording: part)
        }
        // Of very many stubs, those are asked first whose requests differ from a live one at most in
        // the headers and where placeholders are.
        let variables = Set(parts.flatMap(\.variables))
        let index = Dictionary(grouping: zip(groups, stubs)) { indices, _ in
            parts[indices[0]].key(without: variables)
        }.mapValues { $0.map(\.1) }
        core.add(Stub.Group(stubs) { index[ReplayParts($0).key(without: variables)] ?? [] })
        return stubs
    }
}

extension HTTPArchive.Exchange {
    fileprivate var recordingEntry: Recording.Entry {
        let day = startDate.formatted(.iso8601.year().month().day())
        return Recording.Entry(
            place: place, day: startDate == .distantPast ? nil : day, text: description)
    }
}

extension RequestMatcher {
    /// Creates a matcher for requests that are equal to a recorded one.
    ///
    /// - Parameters:
    ///   - request: The recorded request, with its body in `httpBody`.
    ///   - isServed: Whether a URL leads to the network's own server, so that its host does not count.
    fileprivate init(recorded request: URLRequest, _ isServed: @escaping @Sendable (URL?) -> Bool) {
        let reading = RequestReading(RecordedRequest(request: request))
        let url = reading.url
        let origin = "\(url.scheme)://\(url.hostAndPort)"
        var matcher = RequestMatcher.method(reading.method)
            .adding(origin) { live in
                live.url.scheme == url.scheme && live.url.host == url.host
                    && live.url.port == url.port || isServed(live.request.url)
            } or: {
                .has("\($0.url.scheme)://\($0.url.hostAndPort)")
            }
            .path(exactly: url.path).adding(.query, exactly: reading.query)
        for name in request.replayedHeaders {
            matcher = matcher.header(name, request.value(forHTTPHeaderField: name))
        }
        self = matcher.addingBody(of: reading)
    }
}
