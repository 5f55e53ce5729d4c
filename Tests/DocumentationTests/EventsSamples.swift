import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of Streams.md about events that reconnect.
@Suite(.limited) private struct EventsSamples {
    private let url = URL(string: "https://api.example.com/events")!

    private func show(_ text: String) {}

    @Test func continuesOverSeveralConnections() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/events"),
            .chunks(["id: 1\ndata: a\n\n"], contentType: "text/event-stream"), .status(204))
        let session = network

        var lastEventID = ""
        var request = URLRequest(url: url)
        request.timeoutInterval = 3_600  // the longest silence of the server

        for try await event in session.events(
            request, after: lastEventID, reconnecting: RetryPolicy(baseDelay: .zero, deadline: nil))
        {
            show(event.data)
            lastEventID = event.id
        }

        #expect(lastEventID == "1")
    }

    @Test func readsTheBytes() async throws {
        let network = MockNetwork()
        network.stub(.get("/events"), .chunks(["one\n", "two\n"]))
        let session = network
        let request = URLRequest(url: url)
        var received = 0

        let (body, response) = try await session.stream(request)
        for try await piece in body { received += piece.count }

        #expect(response.statusCode == 200)
        #expect(received == 8)
    }
}
