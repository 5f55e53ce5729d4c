import TestSupport

@testable import APIKitLite

@Suite(.limited) struct ExchangeEventTests {
    @Test func hidesWhatALogHides() {
        struct Refusal: Error, CustomStringConvertible { let description = "sent birthday=hunter2" }
        let request = URLRequest(url: URL(string: "https://h?birthday=hunter2")!)
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
