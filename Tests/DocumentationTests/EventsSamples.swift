import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of Streams.md about events that reconnect.
@Suite(.limited) private struct EventsSamples {
    private let url = URL(string: "https://api.example.com/events")!

    private struct Headline: Decodable { var title: String }

    private let shown = Locked<[String]>([])

    private func show(_ headline: Headline) { shown.withLock { $0.append(headline.title) } }

    @Test func continuesOverSeveralConnections() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/events"),
            .chunks(
                ["retry: 1\nevent: headline\nid: 1\ndata: {\"title\":\"a\"}\n\nid: 2\ndata: b\n\n"],
                contentType: "text/event-stream"), .status(204))
        let session = network

        var lastEventID = ""
        var request = URLRequest(url: url)
        request.timeoutInterval = 3_600  // the longest silence of the server

        for try await event in session.events(request, after: lastEventID) {
            if event.event == "headline" { show(try event.decode(Headline.self)) }
            lastEventID = event.id
        }

        #expect(lastEventID == "2")
        #expect(shown.withLock { $0 } == ["a"])
    }
}
