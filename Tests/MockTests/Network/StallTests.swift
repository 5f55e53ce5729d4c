import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The report of a network about requests without an answer, if no function of the mock waits.
@Suite(.limited, .usesSockets) struct StallTests {
    private let recorder = ReportRecorder()

    /// A stub whose answer waits for something.
    enum Stall: CaseIterable, Sendable {
        case held, handler, hanging, delayed

        func add(to network: MockNetwork) {
            let file: StaticString = "Tests/Stub.swift"
            switch self {
            case .held: network.stub(.any, .json("{}").held, fileID: file, line: 3)
            case .handler:
                network.stub(.any, fileID: file, line: 3) { _ in try await waitForCancellation() }
            case .hanging: network.stub(.any, .hanging, fileID: file, line: 3)
            case .delayed:
                network.stub(.any, .json("{}").delayed(by: .seconds(9)), fileID: file, line: 3)
            }
        }

        var line: String {
            let stub = "tub for any request (Tests/Stub.swift:3)"
            return switch self {
            case .held: "The s\(stub) holds 1 request. To release it, call stub.release()."
            case .handler: "The handler of the s\(stub) has not returned for 1 request."
            case .hanging: "The s\(stub) never answers 1 request: its response is .hanging."
            case .delayed: "The s\(stub) delays 1 request."
            }
        }
    }

    private func network(_ stall: Stall, clock: MockClock?) -> MockNetwork {
        let network = recorder.network(clock: clock)
        stall.add(to: network)
        return network
    }

    @Test(arguments: Stall.allCases, Transport.allCases)
    func aMissingAnswerIsReportedAfterFiveSeconds(_ stall: Stall, _ transport: Transport)
        async throws
    {
        let network = network(stall, clock: MockClock())
        let (session, baseURL) = try transport.open(network)
        let url = baseURL.appending(queryItems: [.init(name: "access_token", value: "swordfish")])
        let load = Task { try await session.exchange(URLRequest(url: url)) }
        await network.waitForRequests()
        await recorder.waitForWatch()

        await recorder.clock.advance(by: .milliseconds(4_900))
        #expect(recorder.reports == [])
        await recorder.waitForReport()

        #expect(recorder.reports.count == 1)
        let lines = try #require(recorder.reports.first).split(separator: "\n")
        #expect(lines.first?.hasSuffix(" has waited for its answer for 5.0 seconds.") == true)
        #expect(lines.dropFirst().first == "  \(stall.line)")
        #expect(!lines.joined().contains("swordfish"))
        load.cancel()
        _ = await load.result
    }

    @Test(arguments: [
        (Redaction.standard.adding("birthday"), "birthday=REDACTED&token=REDACTED"),
        (.standard, "birthday=hunter2&token=REDACTED"),
        (.none, "birthday=hunter2&token=hunter3"),
    ])
    func hidesWhatTheNetworkHides(_ redaction: Redaction, _ query: String) async throws {
        let network = recorder.network(redacting: redaction)
        network.stub(.any.query(["birthday": "hunter2"]), .hanging)
        let request = try URLRequest(
            "GET", URL(string: "https://h")!, path: "/a",
            query: ["birthday": "hunter2", "token": "hunter3"])
        let load = Task { try await MockURLSession(network).exchange(request) }
        await network.waitForRequests()
        await recorder.waitForWatch()

        await recorder.waitForReport()
        load.cancel()
        _ = await load.result

        let report = try #require(recorder.reports.first)
        #expect(report.contains("GET https://h/a?\(query) has waited"))
        #expect(
            report.dropFirst(report.prefix { $0 != "\n" }.count).contains("hunter2")
                == query.contains("hunter2"))
    }

    @Test func anImmediateAnswerIsNotWatched() async throws {
        let network = recorder.network(clock: MockClock())
        network.stub(.any, .json("{}"))

        _ = try await MockURLSession(network).exchange(Self.request)

        #expect(recorder.clock.pendingDeadlines == [])
    }

    @Test(arguments: Stall.allCases)
    func aRequestThatEndsInTimeIsNotReported(_ stall: Stall) async throws {
        let network = network(stall, clock: MockClock())
        let load = Task { try await MockURLSession(network).exchange(Self.request) }
        await network.waitForRequests()
        await recorder.waitForWatch()
        await recorder.clock.advance(by: .seconds(4))

        load.cancel()
        _ = await load.result
        await recorder.clock.advance(by: .seconds(60))

        #expect(recorder.reports == [])
    }

    @Test func aRequestIsTimedFromItsOwnStart() async throws {
        let network = network(.held, clock: nil)
        let session = MockURLSession(network)
        let first = Task { try await session.exchange(Self.request) }
        await network.waitForRequests(1)
        await recorder.waitForWatch()
        await recorder.clock.advance(by: .seconds(3))
        let second = Task { try await session.exchange(Self.request) }
        await network.waitForRequests(2)
        first.cancel()
        _ = await first.result

        await recorder.clock.advance(by: .seconds(4))
        #expect(recorder.reports == [])
        await recorder.clock.advance(by: .seconds(2))

        #expect(recorder.reports.count == 1)
        second.cancel()
        _ = await second.result
    }

    @Test func aReleasedNetworkReportsNothing() async throws {
        await {
            let network = network(.hanging, clock: nil)
            let load = Task { try await MockURLSession(network).exchange(Self.request) }
            await network.waitForRequests()
            await recorder.waitForWatch()
            load.cancel()
            _ = await load.result
        }()

        await recorder.clock.advance(by: .seconds(60))

        #expect(recorder.reports == [])
        #expect(recorder.clock.pendingDeadlines == [])
    }

    private static let request = URLRequest(url: URL(string: "https://api.example.com/a")!)
}
