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
    /// - Returns: The stubs, in the order of the first request of each group.
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
        var groups: [(key: String, exchanges: [HTTPArchive.Exchange])] = []
        var indices: [String: Int] = [:]
        for exchange in archive {
            let key = exchange.request.replayKey
            if let index = indices[key] {
                groups[index].exchanges.append(exchange)
            } else {
                indices[key] = groups.count
                groups.append((key, [exchange]))
            }
        }
        // The last stub that matches answers: one without placeholders, if there is one.
        let hasPlaceholders = groups.map { Placeholder.mayBe(in: $0.key) }
        return
            (zip(groups, hasPlaceholders).filter(\.1)
            + zip(groups, hasPlaceholders).filter { !$0.1 })
            .map(\.0).map { group in
                var part = recording
                part.entries = group.exchanges.map(\.recordingEntry)
                let matcher = RequestMatcher.recorded(group.exchanges[0].request) { [weak core] in
                    core?.serves($0) ?? false
                }
                let responses = group.exchanges.map { exchange in
                    MockResponse.exchange(exchange) { request in
                        let found = RecordedValues(from: exchange.request, request)
                        return values.withLock { values in
                            values.add(found)
                            return values
                        }
                    }
                }
                return core.add(
                    matcher, .responses(responses, then: afterLast), times: times,
                    sourceLocation: part.place ?? sourceLocation, recording: part)
            }
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
    /// Returns a matcher for requests that are equal to a recorded one.
    ///
    /// - Parameters:
    ///   - request: The recorded request, with its body in `httpBody`.
    ///   - isServed: Whether a URL leads to the network's own server, so that its host does not count.
    fileprivate static func recorded(
        _ request: URLRequest, isServed: @escaping @Sendable (URL?) -> Bool
    ) -> RequestMatcher {
        let plain = RequestMatcher(recorded: request, isServed)
        let text =
            [request.url?.absoluteString ?? "", exactText(request.httpBody ?? Data()) ?? ""]
            + request.replayedHeaders.compactMap(request.value)
        guard text.contains(where: Placeholder.mayBe) else { return plain }
        let isPathPlain = !Placeholder.mayBe(in: request.url?.path ?? "")
        // The live request decides what the criteria expect, but not how many there are.
        return plain.criteria.indices.reduce(.any) { matcher, index in
            // Most requests differ in the method, the host or the path, and are compared quickly.
            if index < (isPathPlain ? 3 : 2) { return matcher.adding(plain.criteria[index]) }
            @Sendable func criterion(_ live: RequestReading) -> Criterion {
                let values = RecordedValues(from: request, live.request)
                let filled = RequestMatcher(recorded: values.filled(request), isServed).criteria
                return (filled.count == plain.criteria.count ? filled : plain.criteria)[index]
            }
            return matcher.adding(
                Criterion(
                    description: plain.criteria[index].description,
                    holds: { criterion($0).holds($0) },
                    difference: { criterion($0).difference($0) },
                    isNear: { criterion($0).isNear($0) }))
        }
    }

    private init(recorded request: URLRequest, _ isServed: @escaping @Sendable (URL?) -> Bool) {
        let reading = RequestReading(request)
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

extension URLRequest {
    /// The names of the headers on which the answer depends, sorted.
    fileprivate var replayedHeaders: [String] {
        (allHTTPHeaderFields ?? [:]).keys.filter { name in
            let name = name.lowercased()
            return name == "range" || name == "last-event-id" || name.hasPrefix("if-")
        }.sorted()
    }

    /// A text that is the same for equal requests. All placeholders count as equal.
    fileprivate var replayKey: String {
        let reading = RequestReading(self)
        let headers = replayedHeaders.map { "\($0): \(value(forHTTPHeaderField: $0) ?? "")" }
        let items = [reading.query, reading.form ?? []].map { items in
            items.map { "\($0.name)=\($0.value ?? "")" }.sorted().joined(separator: "&")
        }
        var body = reading.form == nil ? reading.body.base64EncodedString() : items[1]
        if case .success(let json) = reading.json { body = json.compact }
        if case .success(let multipart) = reading.multipart {
            body = multipart.parts.map {
                "\($0.name) \($0.fileName ?? "") \($0.data.base64EncodedString())"
            }.joined(separator: "\n")
        }
        let url = reading.url
        let target = "\(url.scheme)://\(url.hostAndPort)\(url.path)"
        let key = ([reading.method, target, items[0]] + headers + [body]).joined(separator: "\n")
        return Placeholder.replacing(in: key) { ("REDACTED-0", $0.range) }
    }
}
