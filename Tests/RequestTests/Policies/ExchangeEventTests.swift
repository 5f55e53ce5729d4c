import APIKitLite
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct ExchangeEventTests {
    private struct Opaque: Error {
        var text: String
    }

    private static func request(
        _ url: String = "https://a.example/b", method: String = "POST", body: String? = "{}",
        headers: [String: String] = ["X-A": "1"]
    ) -> URLRequest {
        var request = URLRequest(url: URL(string: url)!)
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    @Test func comparesTheRequestAndTheOutcome() {
        func answered(
            id: Int = 1, _ request: URLRequest = Self.request(), status: Int = 200, bytes: Int = 2,
            after seconds: Int = 1
        ) -> ExchangeEvent {
            .answered(
                id: id, request, status: status, bytes: bytes, after: .seconds(seconds))
        }
        let others: [ExchangeEvent] = [
            answered(id: 2), answered(Self.request(method: "PUT")),
            answered(Self.request("https://a.example/c")),
            answered(Self.request("https://a.example/b?token=1")), answered(status: 201),
            answered(bytes: 3), answered(after: 2), .started(id: 1, Self.request()),
            .failed(id: 1, Self.request(), URLError(.timedOut), after: .seconds(1)),
        ]

        #expect(answered() == answered())
        #expect(others.allSatisfy { $0 != answered() })
        #expect(ExchangeEvent.started(id: 1, Self.request()) == .started(id: 1, Self.request()))
        #expect(ExchangeEvent.started(id: 1, Self.request()) != .started(id: 2, Self.request()))
    }

    @Test func comparesErrors() {
        let rows: [(any Error, any Error, Bool)] = [
            (URLError(.timedOut), URLError(.timedOut), true),
            (URLError(.timedOut, userInfo: ["detail": 1]), URLError(.timedOut), true),
            (NSError(domain: NSURLErrorDomain, code: -1001), URLError(.timedOut), true),
            (URLError(.timedOut), URLError(.cancelled), false),
            (URLError(.timedOut), CancellationError(), false),
            (CancellationError(), CancellationError(), true),
            (UnacceptableStatus(statusCode: 404), UnacceptableStatus(statusCode: 404), true),
            (UnacceptableStatus(statusCode: 404), UnacceptableStatus(statusCode: 500), false),
            (Opaque(text: "a"), Opaque(text: "a"), true),
            (Opaque(text: "a"), Opaque(text: "b"), false),
            (Opaque(text: "a"), CancellationError(), false),
            (CancellationError(), Opaque(text: "a"), false),
        ]
        for (left, right, areEqual) in rows {
            let request = Self.request()
            let event = ExchangeEvent.failed(id: 1, request, left, after: .zero)
            let others = [
                ExchangeEvent.failed(id: 2, request, left, after: .zero),
                .failed(id: 1, request, left, after: .seconds(1)),
                .failed(id: 1, Self.request(method: "PUT"), left, after: .zero),
            ]

            #expect(
                (event == .failed(id: 1, request, right, after: .zero)) == areEqual,
                "\(left) and \(right)")
            #expect(others.allSatisfy { event != $0 }, "\(left)")
        }
    }

    @Test func comparesLostLoads() {
        func lost(
            _ stage: APIRequestError.Stage = .parse, _ request: URLRequest? = Self.request(),
            _ data: String = "{}", _ underlying: any Error = Opaque(text: "a")
        ) -> ExchangeEvent {
            .rejected(
                APIRequestError(
                    stage: stage, request: request, response: nil, data: Data(data.utf8),
                    underlying: underlying))
        }

        let others = [
            lost(.validate), lost(.parse, nil), lost(.parse, Self.request(method: "PUT")),
            lost(.parse, Self.request(), "[]"),
            lost(.parse, Self.request(), "{}", Opaque(text: "b")),
            .started(id: 1, Self.request()),
        ]

        #expect(lost() == lost())
        #expect(lost(.parse, nil) == lost(.parse, nil))
        #expect(others.allSatisfy { $0 != lost() && lost() != $0 })
    }

    @Test func isOneLineForALog() {
        let request = Self.request("https://u:p@a.example/b?token=hunter2&q=1", method: "GET")
        let error = APIRequestError(
            stage: .parse, request: request, data: Data("[1,\n  2]".utf8),
            underlying: Opaque(text: "no\nbooks"))
        let events: [ExchangeEvent] = [
            .started(id: 1, request),
            .answered(id: 1, request, status: 200, bytes: 1234, after: .milliseconds(30)),
            .answered(id: 2, request, status: 799, bytes: 1, after: .seconds(61.0625)),
            .failed(id: 3, request, URLError(.timedOut), after: .seconds(30)),
            .failed(id: 4, request, CancellationError(), after: .zero),
            .rejected(error),
        ]
        let line = "GET https://REDACTED@a.example/b?token=REDACTED&q=1"

        #expect(
            events.dropLast().map(\.description) == [
                "#1 \(line)",
                "#1 \(line): 200 (OK), 1,234 bytes, 0.030 s",
                "#2 \(line): 799, 1 byte, 61.063 s",
                "#3 \(line): The request timed out. (URLError -1001), 30.000 s",
                "#4 \(line): cancelled, 0.000 s",
            ])
        let lost = events.last?.description ?? ""
        #expect(lost.hasPrefix(line + " got an answer that could not be parsed (stage .parse)."))
        #expect(!lost.contains("\n"))
        #expect(!lost.contains("curl"))
        #expect(!events.description.contains("hunter2"))
    }

    @Test func hidesWhatALogHides() {
        struct Refusal: Error, CustomStringConvertible { let description = "sent birthday=hunter2" }
        let request = Self.request("https://h?birthday=hunter2", method: "GET", body: nil)
        let own = APIRequestError(
            stage: .validate, request: request, underlying: Refusal(),
            redaction: .standard.adding("birthday"))
        let other = APIRequestError(stage: .validate, request: request, underlying: Refusal())
        let events: [ExchangeEvent] = [
            .started(id: 1, request),
            .answered(id: 1, request, status: 200, bytes: 0, after: .zero),
            .failed(id: 1, request, Refusal(), after: .zero), .rejected(other),
        ]

        for event in events {
            #expect(event.description.contains("hunter2"))
            #expect(event.description == event.description(redacting: .standard))
            let line = event.description(redacting: .standard.adding("birthday"))
            #expect(line.contains("birthday=REDACTED") && !line.contains("hunter2"))
        }
        // The text of an error hides its own secrets, even if the log shows them.
        for redaction in [Redaction.standard, .none] {
            let line = ExchangeEvent.rejected(own).description(redacting: redaction)
            #expect(!line.contains("hunter2"))
        }
    }

    @Test func holdsTheRequestAndTheId() {
        let request = Self.request()
        let error = APIRequestError(stage: .parse, request: request, underlying: Opaque(text: "a"))
        let events: [ExchangeEvent] = [
            .started(id: 1, request),
            .answered(id: 2, request, status: 200, bytes: 0, after: .zero),
            .failed(id: 3, request, URLError(.timedOut), after: .zero), .rejected(error),
        ]

        #expect(events.map(\.id) == [1, 2, 3, nil])
        for event in events {
            #expect(event.request?.curlCommand() == request.curlCommand())
        }
    }
}
