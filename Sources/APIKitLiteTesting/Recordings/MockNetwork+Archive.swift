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
        var groups: [(key: String, exchanges: [HTTPArchive.Exchange])] = []
        var indices: [String: Int] = [:]
        for exchange in archive {
            let key = ReplayParts(exchange.request).key
            if let index = indices[key] {
                groups[index].exchanges.append(exchange)
            } else {
                indices[key] = groups.count
                groups.append((key, [exchange]))
            }
        }
        // The last stub that matches answers: one without placeholders, if there is one.
        let patterns = groups.filter { Placeholder.mayBe(in: $0.key) }
        let ordered = patterns + groups.filter { !Placeholder.mayBe(in: $0.key) }
        let stubs = ordered.map { group in
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
            return core.makeStub(
                matcher, .responses(responses, then: afterLast), times: times,
                sourceLocation: part.place ?? sourceLocation, recording: part)
        }
        let index = ReplayIndex(ordered.map(\.exchanges[0].request), stubs)
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
        let filled = FilledMatcher(request, plain, isServed)
        // A criterion of each kind, which compares with the live request's texts in place of the
        // placeholders.
        return plain.criteria.indices.reduce(.any) { matcher, index in
            // Most requests differ in the method, the host or the path, and are compared quickly.
            if index < (isPathPlain ? 3 : 2) { return matcher.adding(plain.criteria[index]) }
            return matcher.adding(
                Criterion(
                    description: plain.criteria[index].description,
                    holds: { filled.criteria(for: $0)[index].holds($0) },
                    difference: { filled.criteria(for: $0)[index].difference($0) },
                    isNear: { filled.criteria(for: $0)[index].isNear($0) }))
        }
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

extension URLRequest {
    /// The names of the headers on which the answer depends, sorted.
    fileprivate var replayedHeaders: [String] {
        (allHTTPHeaderFields ?? [:]).keys.filter { name in
            let name = name.lowercased()
            return name == "range" || name == "last-event-id" || name.hasPrefix("if-")
        }.sorted()
    }
}

/// A recorded request with placeholders, as a matcher.
private final class FilledMatcher: Sendable {
    private let request: URLRequest
    private let plain: RequestMatcher
    private let isServed: @Sendable (URL?) -> Bool

    init(
        _ request: URLRequest, _ plain: RequestMatcher,
        _ isServed: @escaping @Sendable (URL?) -> Bool
    ) {
        (self.request, self.plain, self.isServed) = (request, plain, isServed)
    }

    /// Returns the criteria with the texts of a live request in place of the placeholders. They are
    /// made once for all criteria of the matcher.
    func criteria(for live: RequestReading) -> [RequestMatcher.Criterion] {
        if let last = live.lastFilled, last.matcher === self { return last.criteria }
        let values = RecordedValues(from: request, live)
        let filled = RequestMatcher(recorded: values.filled(request), isServed).criteria
        let criteria = filled.count == plain.criteria.count ? filled : plain.criteria
        live.lastFilled = (self, criteria)
        return criteria
    }
}

/// The parts of a request by which its answer is found, each with its place.
private struct ReplayParts {
    private var parts: [(place: String, value: String)] = []

    init(_ request: URLRequest) {
        self.init(RequestReading(RecordedRequest(request: request)))
    }

    init(_ reading: RequestReading) {
        let url = reading.url
        parts = [
            ("method", reading.method), (Self.origin, "\(url.scheme)://\(url.hostAndPort)"),
        ]
        parts += reading.segments.enumerated().map { (place: "path \($0)", value: $1) }
        add(reading.query, "query")
        for name in reading.request.replayedHeaders {
            let value = reading.request.value(forHTTPHeaderField: name) ?? ""
            parts.append((Self.header + name.lowercased(), value))
        }
        if case .success(let multipart) = reading.multipart {
            add(
                multipart.parts.map {
                    NamedItem(
                        name: $0.name,
                        value: $0.fieldText
                            ?? "\($0.fileName ?? "") \($0.contentType ?? "") "
                            + $0.data.base64EncodedString())
                }, "part")
        } else if case .success(let json) = reading.json {
            add(json, at: "$")
        } else if let form = reading.shownForm {
            add(form, "field")
        } else {
            parts.append(("body", exactText(reading.body) ?? reading.body.base64EncodedString()))
        }
    }

    private static let origin = "origin"
    private static let header = "header "

    private mutating func add(_ items: [NamedItem], _ kind: String) {
        parts += items.map { (place: "\(kind) \($0.name)", value: $0.value ?? "") }
            .sorted { ($0.place, $0.value) < ($1.place, $1.value) }
    }

    private mutating func add(_ json: JSONValue, at place: String) {
        switch json {
        case .object(let members):
            if members.isEmpty { parts.append((place, "{}")) }
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                add(member, at: place + JSONText.step(key))
            }
        case .array(let elements):
            if elements.isEmpty { parts.append((place, "[]")) }
            for (index, element) in elements.enumerated() {
                add(element, at: place + JSONText.step(index))
            }
        case .string(let text): parts.append((place, JSONText.quoted(text)))
        case .number(let digits):
            // As numbers are compared: integers exactly, others as `Double`.
            let isInteger = digits.allSatisfy { $0.isNumber || $0 == "-" }
            parts.append((place, isInteger ? digits : Double(digits).map { "\($0)" } ?? digits))
        case .boolean(let value): parts.append((place, "\(value)"))
        case .null: parts.append((place, "null"))
        }
    }

    /// A text that is the same for equal requests. All placeholders count as equal.
    var key: String {
        Placeholder.replacing(in: parts.map { "\($0.place)=\($0.value)" }.joined(separator: "\n")) {
            ("REDACTED-0", $0.range)
        }
    }

    /// The places with a placeholder.
    var variables: [String] {
        parts.filter { Placeholder.mayBe(in: $0.value) }.map(\.place)
    }

    var headers: [String] { parts.map(\.place).filter { $0.hasPrefix(Self.header) } }

    /// Returns the key without the origin, which does not count for the network's own server,
    /// without other headers, and without places at which a placeholder matches any text.
    func key(without variables: Set<String>, headers: Set<String>) -> String {
        parts.filter { place, _ in
            place != Self.origin && !variables.contains(place)
                && (!place.hasPrefix(Self.header) || headers.contains(place))
        }.map { "\($0.place)=\($0.value)" }.joined(separator: "\n")
    }
}

/// Finds the stubs that probably answer a request, without asking all.
private struct ReplayIndex: Sendable {
    private let variables: Set<String>
    private let headers: Set<String>
    private var stubs: [String: [Stub]] = [:]

    init(_ requests: [URLRequest], _ stubs: [Stub]) {
        let parts = requests.map { ReplayParts($0) }
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
