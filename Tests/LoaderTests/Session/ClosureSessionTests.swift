import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A session that sends its requests through a function of the app.
@Suite(.limited) struct ClosureSessionTests {
    @Test func sendsThroughTheClosure() async throws {
        let network = MockNetwork()
        network.stub(.get("/a"), .status(503), .text("body"), .text("stream"))
        let urlSession = network.urlSession
        let session = ClosureSession { try await urlSession.data(for: $0) }.retrying(random: { 0 })

        #expect(try await session.load(TextRequest(), "/a") == "body")
        let (body, response) = try await session.stream(.test("a"))
        #expect(response.statusCode == 200)
        #expect(try await body.collect().text == "stream")
        #expect(network.requests.count == 3)
    }

    @Test func throwsTheErrorOfTheClosure() async throws {
        let url = URL(string: "https://api.example.com/a")!
        let failing = ClosureSession { _ in throw TestError(number: 1) }
        let plain = ClosureSession { _ in
            (
                Data(),
                URLResponse(
                    url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
            )
        }

        await #expect(throws: TestError(number: 1)) { try await failing.exchange(.test("a")) }
        await #expect(throws: TransportError.notHTTP(url)) { try await plain.exchange(.test("a")) }
    }

    @Test func cancellingTheTaskCancelsTheClosure() async throws {
        let arrived = Gate()
        let session = ClosureSession { _ in
            arrived.open()
            _ = try await waitForCancellation()
            throw TestError()
        }
        let load = Task { try await session.load(TextRequest(), "/a") }
        await arrived.wait()

        load.cancel()
        let error = await #expect(throws: APIRequestError.self) { try await load.value }
        #expect(error?.isCancellation == true)
    }
}
