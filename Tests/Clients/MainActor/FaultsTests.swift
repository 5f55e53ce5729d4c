import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

// Nothing here is annotated either: bodies and requests stay on the main actor.

@Suite(.limited, .usesSockets) struct BooksFaultsTests {
    let baseURL = URL(string: "https://books.example.com")!
    let sample = MockResponse.json(#"{"title": "Emma"}"#)

    @Test func survivesEveryFault() async throws {
        var messages: [String?] = []

        let report = try await forEachFault(in: sample) { network in
            let model = BooksViewModel(baseURL: baseURL, session: network.urlSession)
            await model.select(7)
            #expect((model.selected == nil) == (model.message != nil))
            messages.append(model.message)
        }

        #expect(messages.count == report.count)
    }

    @Test func survivesEveryFaultInTime() async throws {
        let report = try await forEachFault(in: sample, seed: 1) { network, clock in
            let loader = APIRequestLoader(
                apiRequest: BookRequest(baseURL: baseURL), urlSession: MockURLSession(network))
            return try await loader.load(7)
        }

        #expect(report[.slow] == .value)
    }

    @Test func endsInTheRightStage() async throws {
        let report = try await checkLoader(
            of: BookRequest(baseURL: baseURL), with: sample, from: 7)

        #expect(report[.status(404)] == .error(.validate))
    }

    @Test func aRequestStaysOnItsActor() async throws {
        final class Count {
            var value = 0
        }
        struct Counting: APIRequest {
            let baseURL: URL
            let count: Count

            func makeRequest(from id: Int) throws -> URLRequest {
                MainActor.assertIsolated()
                count.value += 1
                return URLRequest(url: baseURL)
            }

            func parseResponse(data: Data) throws -> String {
                MainActor.assertIsolated()
                return String(decoding: data, as: UTF8.self)
            }
        }
        let count = Count()

        let report = try await checkLoader(
            of: Counting(baseURL: baseURL, count: count), with: sample, from: 1)

        #expect(count.value == report.faults.count)
    }
}
