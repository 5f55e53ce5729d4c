import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

// Nothing here is annotated either: bodies stay on the main actor.

@Suite(.limited, .usesSockets) struct BooksFaultsTests {
    let baseURL = URL(string: "https://books.example.com")!
    let sample = MockResponse.json(#"{"title": "Emma"}"#)

    @Test func survivesEveryFault() async throws {
        var messages: [String?] = []

        let report = try await forEachFault(in: sample) { network in
            let model = BooksViewModel(baseURL: baseURL, session: network.urlSession)
            await model.select(7)
            #expect((model.selected == nil) == (model.message != nil), "\(Fault.current)")
            messages.append(model.message)
        }

        // The first message is that of the good answer.
        #expect(messages.count == report.faults.count + 1)
    }

    @Test func survivesEveryFaultInTime() async throws {
        let report = try await forEachFault(in: sample) { network, clock in
            let loader = APIRequestLoader(
                apiRequest: BookRequest(baseURL: baseURL), urlSession: network)
            return try await loader.load(7)
        }

        #expect(report[.slow] == .value)
    }
}
