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
        var groups: [(parts: ReplayParts, exchanges: [HTTPArchive.Exchange])] = []
        var indices: [String: Int] = [:]
        for exchange in archive {
            let parts = ReplayParts(exchange.request)
            let key = parts.key
            if let index = indices[key] {
                groups[index].exchanges.append(exchange)
            } else {
                indices[key] = groups.count
                groups.append((parts, [exchange]))
            }
        }
        // The last stub that matches answers: one without placeholders, if there is one.
        let ordered =
            groups.filter(\.parts.hasVariables) + groups.filter { !$0.parts.hasVariables }
        let stubs = ordered.map { parts, exchanges in
            var part = recording
            part.entries = exchanges.map(\.recordingEntry)
            let matcher = RequestMatcher.recorded(
                exchanges[0].request, hasVariables: parts.hasVariables
            ) { [weak core] in
                core?.serves($0) ?? false
            }
            let responses = exchanges.map { exchange in
                MockResponse.exchange(exchange) { request in
                    let found = RecordedValues(from: exchange.request, request)
                    return values.withLock { values in
                        values.add(found)
                        return values
                    }
                }
            }
            return core.makeStub(
                matcher, .responses(responses, then: afterLast), times: times,
                sourceLocation: part.place ?? sourceLocation, recording: part)
        }
        let index = ReplayIndex(ordered.map(\.parts), stubs)
        core.add(Stub.Group(stubs, asking: index.stubs(for:)))
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
    /// Returns a matcher for requests that are equal to a recorded one.
    ///
    /// - Parameters:
    ///   - request: The recorded request, with its body in `httpBody`.
    ///   - hasVariables: Whether it has placeholders.
    ///   - isServed: Whether a URL leads to the network's own server, so that its host does not count.
    fileprivate static func recorded(
        _ request: URLRequest, hasVariables: Bool, isServed: @escaping @Sendable (URL?) -> Bool
    ) -> RequestMatcher {
        var matcher = RequestMatcher(recorded: request, isServed)
        if !hasVariables { return matcher }
        let plain = matcher.criteria
        matcher.adapted = { live in
            let values = RecordedValues(from: request, live)
            let filled = RequestMatcher(recorded: values.filled(request), isServed).criteria
            if filled.count != plain.count { return plain }
            return zip(plain, filled).map { plain, filled in
                // The text shows what the file has, not what the live request has in its place.
                var criterion = filled
                criterion.description = plain.description
                return criterion
            }
        }
        return matcher
    }

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

/// Finds the stubs that probably answer a request, without asking all.
private struct ReplayIndex: Sendable {
    private let variables: Set<String>
    private let headers: Set<String>
    private var stubs: [String: [Stub]] = [:]

    init(_ parts: [ReplayParts], _ stubs: [Stub]) {
        variables = Set(parts.flatMap(\.variables))
        headers = Set(parts.flatMap(\.headers))
        for (parts, stub) in zip(parts, stubs) {
            self.stubs[parts.key(without: variables, headers: headers), default: []].append(stub)
        }
    }

    /// Returns the stubs whose requests differ from a request at most where placeholders are.
    func stubs(for live: RequestReading) -> [Stub] {
        stubs[ReplayParts(live).key(without: variables, headers: headers)] ?? []
    }
}
