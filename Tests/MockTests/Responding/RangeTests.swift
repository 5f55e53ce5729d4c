import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// Parts of a body, over every way into a network.
@Suite(.limited, .usesSockets) struct RangeTests {
    private func exchange(
        _ transport: Transport, _ network: MockNetwork, _ fields: [String: String]
    ) async throws -> (body: String, response: HTTPURLResponse) {
        let (session, baseURL) = try transport.open(network)
        var request = URLRequest(url: baseURL.appending(path: "a"))
        request.allHTTPHeaderFields = fields
        let (data, response) = try await session.exchange(request)
        return (data.text, response)
    }

    @Test(arguments: Transport.allCases)
    func servesTheRangeThatIsAskedFor(_ transport: Transport) async throws {
        let rows: [(fields: [String: String], status: Int, body: String, range: String?)] = [
            (["Range": "bytes=2-4"], 206, "cde", "bytes 2-4/6"),
            (["Range": "bytes=9-"], 416, "", "bytes */6"),
            (["Range": "bytes=2-4", "If-Range": "\"1\""], 206, "cde", "bytes 2-4/6"),
            (["Range": "bytes=2-4", "If-Range": "\"0\""], 200, "abcdef", nil),
            (["Range": "bytes=2-4", "If-Range": "W/\"1\""], 200, "abcdef", nil),
            (["Range": "bytes=0-0"], 206, "a", "bytes 0-0/6"),
            (["Range": "bytes=2-"], 206, "cdef", "bytes 2-5/6"),
            (["Range": "bytes=2-99"], 206, "cdef", "bytes 2-5/6"),
            (["Range": "bytes=6-"], 416, "", "bytes */6"),
            // What the server does not read gets the whole body.
            (["Range": "bytes=0-0,2-3"], 200, "abcdef", nil), ([:], 200, "abcdef", nil),
            (["Range": "bytes=-3"], 200, "abcdef", nil),
            (["Range": "bytes=4-2"], 200, "abcdef", nil),
            (["Range": "lines=1-2"], 200, "abcdef", nil),
            (["Range": "bytes=+1-2"], 200, "abcdef", nil),
        ]
        for row in rows {
            let network = MockNetwork()
            // The length of the whole body is not that of a part.
            network.stub(
                .any,
                .text("abcdef").header("ETag", "\"1\"").header("Content-Length", "6")
                    .acceptingRanges)

            let (body, response) = try await exchange(transport, network, row.fields)

            #expect(response.statusCode == row.status, "\(row)")
            #expect(body == row.body, "\(row)")
            let headers = ["Content-Range", "Accept-Ranges", "Content-Length"]
                .map { response.value(forHTTPHeaderField: $0) }
            #expect(headers == [row.range, "bytes", "\(row.body.count)"], "\(row)")
        }
    }

    @Test(arguments: Transport.allCases)
    func aPartOfASlowBodyIsSlow(_ transport: Transport) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(
            .any, .text("abcdefgh").chunked(by: 2, every: .seconds(1)).acceptingRanges)
        let (session, baseURL) = try transport.open(network)
        var request = URLRequest(url: baseURL)
        request.setValue("bytes=1-5", forHTTPHeaderField: "Range")

        async let load = session.exchange(request)
        await network.waitForRequests()
        await clock.advance(by: .seconds(2))
        let (data, response) = try await load

        #expect(data.text == "bcdef")
        #expect(response.statusCode == 206)
        #expect(network.requests.first?.endTime == .seconds(2))
    }

    /// A weak tag does not count, not even that of the response.
    @Test(arguments: Transport.allCases)
    func aWeakTagGetsTheWholeBody(_ transport: Transport) async throws {
        let network = MockNetwork()
        network.stub(.any, .text("abcdef").header("ETag", "W/\"1\"").acceptingRanges)

        let fields = ["Range": "bytes=2-4", "If-Range": "W/\"1\""]
        let (body, response) = try await exchange(transport, network, fields)

        #expect(body == "abcdef")
        #expect(response.statusCode == 200)
    }

    @Test func aRangeIsIgnoredUnlessTheResponseAcceptsIt() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("abcdef"))

        let (body, response) = try await exchange(
            .direct, network, ["Range": "bytes=2-4"])

        #expect(body == "abcdef")
        #expect(response.statusCode == 200)
    }
}
