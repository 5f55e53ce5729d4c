import APIKitLite
import Foundation

/// How the answers of a server differ today from recorded ones.
///
/// Each text begins with the request: `GET https://api.example.com/users/7: $.age is missing`.
public struct DriftReport: Sendable, CustomStringConvertible {
    /// The number of requests that were sent again.
    package internal(set) var comparedCount = 0
    /// The requests that were not sent again, and why.
    public internal(set) var notCompared: [String] = []
    /// Keys that are new.
    package internal(set) var notes: [String] = []
    /// Keys that are missing, or are null today.
    package internal(set) var warnings: [String] = []
    /// What breaks a client: no answer, another status or type, or an answer that is no longer JSON
    /// or that a given request no longer parses. Also a comparison of nothing.
    public internal(set) var violations: [String] = []

    /// How many answers were compared, and all differences, the most serious first.
    public var description: String {
        let lines = [
            ("error", violations), ("warning", warnings), ("note", notes),
            ("not compared", notCompared),
        ].flatMap { severity, texts in texts.map { "  \(severity): \($0)" } }
        let isSame = violations.isEmpty && warnings.isEmpty && notes.isEmpty
        let head =
            "\(comparedCount) \(comparedCount == 1 ? "answer" : "answers") compared"
            + (notCompared.isEmpty ? "" : ", \(notCompared.count) not compared")
            + (isSame ? ", no difference" : "")
        return lines.isEmpty ? head : "\(head):\n" + lines.joined(separator: "\n")
    }
}

extension HTTPArchive {
    /// Sends the safe requests of the archive again, and compares the shapes of the answers.
    ///
    /// Safe are `GET` and `HEAD` requests (RFC 9110, section 9.2.1) without a placeholder in their URL.
    /// The session adds what the requests need, such as a credential: headers with a placeholder are not
    /// sent. An answer with the status 401, and one that its client left, is not compared. If no answer
    /// is compared, that is a violation.
    ///
    /// - Parameters:
    ///   - session: The session that sends the requests.
    ///   - requests: The requests of the client. If one of them parses a recorded answer, it must parse
    ///     today's answer too; otherwise, the report has a violation with the reason.
    /// - Returns: The differences of statuses, and of keys and types in JSON.
    public func drift(
        over session: any HTTPSession, parsedBy requests: any APIRequest...
    ) async -> DriftReport {
        var report = DriftReport()
        for exchange in self {
            if let reason = exchange.reasonNotToSend {
                report.notCompared.append(exchange.line(reason))
                continue
            }
            report.comparedCount += 1
            do {
                let (body, response) = try await session.exchange(exchange.freshRequest)
                exchange.compare(with: body, response, in: &report)
                for request in requests {
                    if let failure = exchange.failure(of: request, to: body, response) {
                        report.violations.append(exchange.line(failure))
                    }
                }
            } catch {
                let reason = APIRequestError(stage: .transport, underlying: error).reason
                report.violations.append(
                    exchange.line("there was no answer: \(reason.joined(separator: " "))"))
            }
        }
        if report.comparedCount == 0 {
            report.violations.append("no answer was compared")
        }
        return report
    }
}

extension HTTPArchive.Exchange {
    /// Why the request is not sent again; nil if it is.
    fileprivate var reasonNotToSend: String? {
        if !["GET", "HEAD"].contains(request.httpMethod ?? "GET") {
            return "only GET and HEAD are sent again"
        }
        if Placeholder.mayBe(in: request.url?.absoluteString ?? "") {
            return "its URL has a placeholder"
        }
        if wasCancelled { return "its client left before the answer ended" }
        guard let response else { return "the archive has no answer" }
        return response.statusCode == 401 ? "the answer in the archive is 401" : nil
    }

    /// The request without the headers whose values are not in the file.
    fileprivate var freshRequest: URLRequest {
        var fresh = request
        for (name, value) in request.allHTTPHeaderFields ?? [:] where Placeholder.mayBe(in: value) {
            fresh.setValue(nil, forHTTPHeaderField: name)
        }
        return fresh
    }

    fileprivate func line(_ text: String) -> String {
        "\(request.line(redacting: .standard)): \(text)"
    }

    /// Adds the differences of a fresh answer to a report.
    fileprivate func compare(
        with newBody: Data, _ newResponse: HTTPURLResponse, in report: inout DriftReport
    ) {
        let (old, new) = (response?.statusCode ?? 0, newResponse.statusCode)
        guard old == new else {
            let text = "the status is \(HTTPStatus.describe(new)), was \(HTTPStatus.describe(old))"
            return report.violations.append(line(text))
        }
        guard let oldShape = (try? JSONValue(body))?.shape else { return }
        guard let newShape = (try? JSONValue(newBody))?.shape else {
            return report.violations.append(line("the answer is no longer JSON"))
        }
        for place in outermost(oldShape.keys.filter { newShape[$0] == nil }) {
            report.warnings.append(line("\(place) is missing"))
        }
        for place in outermost(newShape.keys.filter { oldShape[$0] == nil }) {
            report.notes.append(line("\(place) is new"))
        }
        for (place, types) in oldShape.sorted(by: { $0.key < $1.key }) {
            let added = newShape[place]?.subtracting(types).sorted() ?? []
            if added.isEmpty { continue }
            let text =
                "\(place) is \(added.joined(separator: " or ")), was "
                + types.sorted().joined(separator: " or ")
            let list = added == ["null"] ? \DriftReport.warnings : \.violations
            report[keyPath: list].append(line(text))
        }
    }

    /// Returns the reason why a request parses the recorded answer but not a new one; nil if there
    /// is none.
    fileprivate func failure(
        of request: some APIRequest, to newBody: Data, _ newResponse: HTTPURLResponse
    ) -> String? {
        guard let response, (try? request.parseResponse(data: body, response: response)) != nil
        else { return nil }
        do {
            _ = try request.parseResponse(data: newBody, response: newResponse)
            return nil
        } catch {
            let failure = APIRequestError(
                stage: .parse, response: newResponse, data: newBody, underlying: error)
            return "\(type(of: request)) breaks: \(failure.reason.joined(separator: " "))"
        }
    }
}

/// Returns the places that are not inside another place, sorted. Leaves out the elements of an
/// array that is empty in the other answer: they are no difference.
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
            let type: String
            switch value {
            case .object(let members):
                type = "an object"
                for (key, member) in members { add(member, at: place + JSONText.step(key)) }
            case .array(let elements):
                type = "an array"
                for element in elements { add(element, at: place + "[]") }
            case .string: type = "a string"
            case .number: type = "a number"
            case .boolean: type = "true or false"
            case .null: type = "null"
            }
            shape[place, default: []].insert(type)
        }
        add(self, at: "$")
        return shape
    }
}
