import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// What `progress` gets while the body of a request is sent.
@Suite(.limited, .usesSockets) struct ReportingTests {
    private let folder = try! TemporaryFolder()
    private let network = MockNetwork()
    /// The last number of bytes, and each size that a call had.
    private let reported = Locked<(bytes: Int64?, totals: Set<Int64?>)>((nil, []))

    private var progress: @Sendable (Int64, Int64?) -> Void {
        { [reported] bytes, total in
            reported.withLock { reported in
                reported.bytes = bytes
                reported.totals.insert(total)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func reportsTheBytesOfAFile(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.any, .status(503), .error(.networkConnectionLost), .status(201))
        let file = try folder.write(Data(count: 500_000))
        let request = try URLRequest("PUT", baseURL, path: "/f").fileBody(file)

        let retrying = session.retrying(RetryPolicy(baseDelay: .zero))
        _ = try await retrying.exchange(request, progress: progress)

        // The number is not larger, because each attempt counts from 0.
        #expect(reported.withLock { $0.bytes } == 500_000)
        #expect(reported.withLock { $0.totals } == [500_000])
        #expect(network.requests.map(\.body.count) == [500_000, 500_000, 500_000])
    }

    @Test(arguments: Transport.allCases)
    func reportsABodyInMemory(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.any, .status(201))
        let request = try URLRequest("PUT", baseURL, path: "/f").jsonBody([1, 2])

        _ = try await session.exchange(request, progress: progress)
        #expect(reported.withLock { $0.bytes } == 5)
        #expect(reported.withLock { $0.totals } == [5])
        #expect(network.requests.map(\.json) == ["[1,2]"])
    }

    @Test(arguments: Transport.allCases)
    func aLoadReportsItsRequest(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.any, .text("a"))
        let upload = try URLRequest("PUT", baseURL, path: "/f").formBody(["a": "1"])

        _ = try await session.load(upload, as: Data.self, progress: progress)
        #expect(reported.withLock { $0.bytes } == 3)
        reported.withLock { $0.bytes = nil }
        _ = try await session.response(upload, progress: progress) { _, _ in }
        #expect(reported.withLock { $0.bytes } == 3)
        reported.withLock { $0.bytes = nil }
        _ = try await session.upload(
            for: URLRequest("PUT", baseURL, path: "/f"), from: Data("b=22".utf8), progress: progress
        )
        #expect(reported.withLock { $0.bytes } == 4)
        #expect(network.requests.last?.body.text == "b=22")
    }

    @Test(arguments: Transport.allCases)
    func reportsNothingWithoutABody(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.any, .text("a"))
        _ = try await session.exchange(URLRequest(url: baseURL), progress: progress)
        #expect(reported.withLock { $0.bytes } == nil)
    }
}
