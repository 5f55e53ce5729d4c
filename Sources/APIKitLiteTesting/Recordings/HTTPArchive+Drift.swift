import APIKitLite
import Foundation

/// How the answers of a server differ today from recorded ones.
public struct DriftReport: Sendable, CustomStringConvertible {
    /// How serious a difference is.
    enum Severity: String, Sendable {
        case note, warning, error
    }

    /// The differences in one exchange.
    struct Change: Sendable {
        let severity: Severity
        let text: String
    }

    /// The differences, by the exchange in which they are.
    var changes: [(exchange: String, changes: [Change])] = []
    /// The number of exchanges that were sent again.
    var comparedCount = 0

    /// The differences that break a client: another type or status, and an answer that a given request
    /// does not parse any more. None means that the recording is still true.
    public var violations: [String] {
        changes.flatMap { exchange, changes in
            changes.filter { $0.severity == .error }.map { "\(exchange): \($0.text)" }
        }
    }

    /// All differences: a new key is a note, a missing one a warning, and what breaks a client an error.
    public var description: String {
        let summary = "\(comparedCount) \(comparedCount == 1 ? "answer" : "answers") compared"
        let lines = changes.flatMap { exchange, changes in
            [exchange] + changes.map { "  \($0.severity.rawValue): \($0.text)" }
        }
        return (lines.isEmpty ? ["\(summary), no difference"] : ["\(summary):"] + lines)
            .joined(separator: "\n")
    }
}

extension HTTPArchive {
    /// Sends the safe requests of the archive again, and compares the shapes of the answers.
    ///
    /// Safe are `GET` and `HEAD` requests without placeholders in their URLs (RFC 9110, section 9.2.1).
    /// Headers with placeholders are left out: the session adds what the requests need, such as a
    /// credential. A request whose client left its answer is not sent.
    ///
    /// - Parameters:
    ///   - session: The session that sends the requests.
    ///   - requests: The requests of the client. If one of them parses a recorded answer, it must parse
    ///     today's answer too; otherwise, the report has an error with the reason.
    /// - Returns: The differences of statuses, and of keys and types in JSON.
    public func drift(
        over session: any HTTPSession, parsedBy requests: any APIRequest...
    ) async -> DriftReport {
        var report = DriftReport()
        for exchange in self where exchange.isSafe && exchange.response != nil {
            var changes: [DriftReport.Change] = []
            do {
                var request = exchange.request
                for (name, value) in request.allHTTPHeaderFields ?? [:]
                where Placeholder.mayBe(in: value) {
                    request.setValue(nil, forHTTPHeaderField: name)
                }
                let (body, response) = try await session.exchange(request)
                changes = exchange.changes(to: body, response)
                for request in requests {
                    changes += exchange.failure(of: request, to: body, response)
                }
            } catch {
                let reason = APIRequestError(stage: .transport, underlying: error).reason
                let text = "there was no answer: \(reason.joined(separator: " "))"
                changes = [.init(severity: .error, text: text)]
            }
            report.comparedCount += 1
            if !changes.isEmpty {
                let place = exchange.place.map { "\($0), " } ?? ""
                report.changes.append(
                    (place + exchange.request.line(redacting: .standard), changes))
            }
        }
        return report
    }
}

extension HTTPArchive.Exchange {
    fileprivate var isSafe: Bool {
        let method = request.httpMethod ?? "GET"
        return ["GET", "HEAD"].contains(method) && !wasCancelled
            && !Placeholder.mayBe(in: request.url?.absoluteString ?? "")
    }

    /// Returns the differences of a fresh answer.
    fileprivate func changes(
        to newBody: Data, _ newResponse: HTTPURLResponse
    ) -> [DriftReport.Change] {
        var changes: [DriftReport.Change] = []
        func add(_ severity: DriftReport.Severity, _ text: String) {
            changes.append(.init(severity: severity, text: text))
        }
        let (old, new) = (response?.statusCode ?? 0, newResponse.statusCode)
        if old != new {
            add(
                .error, "the status is \(HTTPStatus.describe(new)), was \(HTTPStatus.describe(old))"
            )
            return changes
        }
        guard let recorded = try? JSONValue(body) else { return changes }
        guard let fresh = try? JSONValue(newBody) else {
            add(.error, "the answer is no longer JSON")
            return changes
        }
        let (oldShape, newShape) = (recorded.shape, fresh.shape)
        for place in outermost(oldShape.keys.filter { newShape[$0] == nil }) {
            add(.warning, "\(place) is missing")
        }
        for (place, types) in oldShape.sorted(by: { $0.key < $1.key }) {
            guard let newTypes = newShape[place] else { continue }
            let added = newTypes.subtracting(types).sorted()
            guard !added.isEmpty else { continue }
            add(
                added == ["null"] ? .warning : .error,
                "\(place) is \(added.joined(separator: " or ")), was "
                    + types.sorted().joined(separator: " or "))
        }
        for place in outermost(newShape.keys.filter { oldShape[$0] == nil }) {
            add(.note, "\(place) is new")
        }
        return changes
    }

    /// Returns why a request that parses the recorded answer does not parse a fresh one.
    fileprivate func failure(
        of request: some APIRequest, to newBody: Data, _ newResponse: HTTPURLResponse
    ) -> [DriftReport.Change] {
        guard let response, (try? request.parseResponse(data: body, response: response)) != nil
        else { return [] }
        do {
            try request.validateResponse(data: newBody, response: newResponse)
            _ = try request.parseResponse(data: newBody, response: newResponse)
            return []
        } catch {
            let failure = APIRequestError(
                stage: .parse, response: newResponse, data: newBody, underlying: error)
            let reason = failure.reason.joined(separator: " ")
            return [.init(severity: .error, text: "\(type(of: request)) breaks: \(reason)")]
        }
    }
}

/// Returns the places that are not inside another one, sorted. The element of an array that is empty
/// on the other side is no difference.
private func outermost(_ places: [String]) -> [String] {
    places.filter { place in
        !place.hasSuffix("[]")
            && !places.contains { place.hasPrefix($0 + ".") || place.hasPrefix($0 + "[") }
    }.sorted()
}

extension JSONValue {
    /// The types of the values at each place. Elements of an array have the same place.
    fileprivate var shape: [String: Set<String>] {
        var shape: [String: Set<String>] = [:]
        func add(_ value: JSONValue, at place: String) {
            let type =
                switch value {
                case .object: "an object"
                case .array: "an array"
                case .string: "a string"
                case .number: "a number"
                case .boolean: "true or false"
                case .null: "null"
                }
            shape[place, default: []].insert(type)
            switch value {
            case .object(let members):
                for (key, member) in members { add(member, at: place + JSONText.step(key)) }
            case .array(let elements):
                for element in elements { add(element, at: place + "[]") }
            case .string, .number, .boolean, .null: break
            }
        }
        add(self, at: "$")
        return shape
    }
}
