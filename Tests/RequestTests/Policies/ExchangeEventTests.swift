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

    @Test func isOneLineForALog() {
        let request = Self.request("https://u:p@a.example/b?token=hunter2&q=1", method: "GET")
        let error = APIRequestError(
            stage: .parse, request: request, data: Data("[1,\n  2]".utf8),
            underlying: Opaque(text: "no\nbooks"))
        func event(
            _ kind: ExchangeEvent.Kind, id: Int = 1, response: HTTPURLResponse? = nil,
            after duration: Duration? = nil
        ) -> ExchangeEvent {
            ExchangeEvent(kind, id: id, request, response: response, after: duration)
        }
        let events = [
            event(.started),
            event(.answered(bytes: 1234), response: .status(200), after: .milliseconds(30)),
            event(.answered(bytes: 1), id: 2, response: .status(799), after: .seconds(61.0625)),
            event(.failed(URLError(.timedOut)), id: 3, after: .seconds(30)),
            event(.failed(CancellationError()), id: 4, after: .zero),
            event(.resent, id: 5, after: .milliseconds(1)),
            event(.opened, id: 6, response: .status(200), after: .zero),
            event(.closed(bytes: 2), id: 6, after: .seconds(1)),
            event(.left(bytes: 0), id: 7, after: .seconds(2)),
            ExchangeEvent(rejected: error, id: 8),
        ]
        let line = "GET https://REDACTED@a.example/b?token=REDACTED&q=1"

        #expect(
            events.dropLast().map(\.description) == [
                "#1 \(line)",
                "#1 \(line): 200 (OK), 1,234 bytes, 0.030 s",
                "#2 \(line): 799, 1 byte, 61.063 s",
                "#3 \(line): The request timed out. (URLError -1001), 30.000 s",
                "#4 \(line): cancelled, 0.000 s",
                "#5 \(line): sent again, 0.001 s",
                "#6 \(line): 200 (OK), streaming, 0.000 s",
                "#6 \(line): complete after 2 bytes, 1.000 s",
                "#7 \(line): left by the reader after 0 bytes, 2.000 s",
            ])
        let lost = events.last?.description ?? ""
        #expect(lost.hasPrefix("#8 \(line) got an answer that could not be parsed (stage .parse)."))
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
        let events = [
            ExchangeEvent(.started, id: 1, request),
            ExchangeEvent(
                .answered(bytes: 0), id: 1, request, response: .status(200), after: .zero),
            ExchangeEvent(.failed(Refusal()), id: 1, request, after: .zero),
            ExchangeEvent(rejected: other),
        ]

        for event in events {
            #expect(event.description.contains("hunter2"))
            #expect(event.description == event.description(redacting: .standard))
            let line = event.description(redacting: .standard.adding("birthday"))
            #expect(line.contains("birthday=REDACTED") && !line.contains("hunter2"))
        }
        // The text of an error hides its own secrets, even if the log shows them.
        for redaction in [Redaction.standard, .none] {
            let line = ExchangeEvent(rejected: own).description(redacting: redaction)
            #expect(!line.contains("hunter2"))
        }
    }
}
