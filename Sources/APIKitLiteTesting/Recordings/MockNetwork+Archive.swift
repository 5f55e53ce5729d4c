import APIKitLite
import Foundation

extension MockNetwork {
    /// Adds stubs that answer from an archive: one for each group of equal requests, which gets its
    /// answers in the order of the archive.
    ///
    /// Requests are equal if their methods, URLs and bodies are equal, and the headers `Range`,
    /// `If-…` and `Last-Event-ID` of the recorded one. The order of the query does not count. JSON and
    /// forms are compared by their content, other bodies by their bytes. For a request to
    /// ``serve(port:)``, the host does not count. Secrets are replaced by `REDACTED` before, in both
    /// requests, so they do not count either.
    ///
    /// Without a clock, the pieces of an answer come immediately. On the network's clock, the first
    /// piece comes immediately, and the others come after their recorded gaps.
    ///
    /// - Parameters:
    ///   - archive: The exchanges.
    ///   - afterLast: What a request gets after the last answer to it: by default, an error.
    ///   - times: How often each stub may answer. With `.atLeast(1)`, ``verify(fileID:line:)`` reports
    ///     each exchange that was not used.
    ///   - redaction: The secrets, and the names of the values that differ in each run.
    ///   - fileID: The file that error texts name if the archive comes from no file.
    ///   - line: The line that error texts name if the archive comes from no file.
    /// - Returns: The stubs, in the order of the first request of each group.
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
        let requests = archive.map { exchange in
            RequestReading(RecordedRequest(request: exchange.request)).redacted(by: redaction)
        }
        let groups = Dictionary(grouping: requests.indices) { requests[$0].replayGroup }
            .values.sorted { $0[0] < $1[0] }
        let stubs = groups.map { indices in
            let exchanges = indices.map { archive[$0] }
            var part = recording
            part.entries = exchanges.map(\.recordingEntry)
            var matcher = RequestMatcher(recorded: requests[indices[0]]) { [weak core] in
                core?.serves($0) ?? false
            }
            matcher.redaction = redaction
            return core.makeStub(
                matcher, .responses(exchanges.map { .exchange($0) }, then: afterLast), times: times,
                sourceLocation: part.place ?? sourceLocation, recording: part)
        }
        // With thousands of stubs, asking each would be slow: those are asked first whose requests
        // differ at most in their headers and origins.
        let index = Dictionary(grouping: zip(groups, stubs)) { requests[$0.0[0]].replayKey }
            .mapValues { $0.map(\.1) }
        core.add(Stub.Group(stubs) { index[$0.redacted(by: redaction).replayKey] ?? [] })
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
    /// Creates a matcher for requests that are equal to a recorded one. The host of a URL that leads
    /// to the network's own server does not count.
    fileprivate init(
        recorded reading: RequestReading, _ isServed: @escaping @Sendable (URL?) -> Bool
    ) {
        let request = reading.request
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

extension RequestReading {
    /// The bytes that requests have in common if they differ at most in their headers and origins.
    fileprivate var replayKey: Data {
        let items: [String]
        if case .success(let multipart) = multipart {
            items = multipart.parts.map { "\($0.name) \($0.data.base64EncodedString())" }
        } else if case .success(let json) = json {
            items = [json.compact]
        } else if let form = declaredForm {
            items = form.map(\.shown).sorted()
        } else {
            items = [body.base64EncodedString()]
        }
        let lines = [method, url.path] + query.map(\.shown).sorted() + [""] + items
        return Data(lines.joined(separator: "\n").utf8)
    }

    /// The bytes that equal requests have in common.
    fileprivate var replayGroup: Data {
        let headers = request.replayedHeaders.map {
            [$0, request.value(forHTTPHeaderField: $0) ?? ""]
        }
        let lines = headers.flatMap(\.self) + ["\(url.scheme)://\(url.hostAndPort)", ""]
        return Data(lines.joined(separator: "\n").utf8) + replayKey
    }
}

extension URLRequest {
    /// The names of the headers on which the answer depends.
    fileprivate var replayedHeaders: [String] {
        (allHTTPHeaderFields ?? [:]).keys.filter { name in
            let name = name.lowercased()
            return name == "range" || name == "last-event-id" || name.hasPrefix("if-")
        }.sorted()
    }
}
