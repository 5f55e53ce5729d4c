import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// A closure sends the body of a response over each transport.
@Suite(.limited, .usesSockets) struct StreamWriterTests {
    @Test(arguments: Transport.allCases)
    func givesThePiecesInOrder(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        network.stub(
            .any,
            .stream(contentType: "text/plain", status: 201, headers: ["X-Name": "a"]) { writer in
                try await writer.send("one ")
                try await writer.send("")
                try await writer.send(Data("two ".utf8))
                try await writer.send(ServerSentEvent(data: "three", id: "3"))
            })

        let (body, response) = try await session.stream(URLRequest(url: baseURL))

        #expect(response.statusCode == 201)
        #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/plain")
        #expect(response.value(forHTTPHeaderField: "X-Name") == "a")
        #expect(response.value(forHTTPHeaderField: "Content-Length") == nil)
        #expect(try await body.text == "one two id: 3\ndata: three\n\n")
        let sent = network.requests.first?.sent.map(\.text)
        #expect(sent == ["one ", "two ", "id: 3\ndata: three\n\n"])
        await network.waitForResponses()
        try network.verify()
    }

    @Test(arguments: Transport.allCases)
    func givesTheHeadersBeforeThePieces(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        let gate = Gate()
        network.stub(
            .any,
            .stream { writer in
                await gate.wait()
                try await writer.send("a")
                await gate.wait()
            })

        let (body, response) = try await session.stream(URLRequest(url: baseURL))
        #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/event-stream")
        #expect(network.requests.first?.sent == [])
        gate.open()

        #expect(try await body.text == "a")
    }

    @Test(arguments: Transport.allCases)
    func sleepsOnTheClockOfTheNetwork(_ transport: Transport) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let (session, baseURL) = try transport.open(network)
        network.stub(
            .any,
            .stream { writer in
                for number in 1...3 {
                    try await writer.send("\(number)")
                    try await writer.sleep(for: .seconds(40))
                }
            })

        let (body, _) = try await session.stream(URLRequest(url: baseURL))
        var pieces = body.makeAsyncIterator()
        for number in 1...3 {
            #expect(try await pieces.next()?.text == "\(number)")
            await clock.waitForSleepers()
            #expect(clock.pending == [.seconds(40)])
            // The timeout between two bytes starts again with each piece.
            #expect(clock.pendingDeadlines == [.seconds(60)])
            await clock.advance(by: .seconds(40))
        }

        #expect(try await pieces.next() == nil)
        #expect(clock.pendingDeadlines == [])
        let request = network.requests.first
        #expect(request?.sent.map(\.time) == [.zero, .seconds(40), .seconds(80)])
        #expect(request?.endTime == .seconds(120))
    }

    @Test func aSleepTakesNoTimeWithoutAClock() async throws {
        let network = MockNetwork()
        network.stub(
            .any,
            .stream { writer in
                try await writer.sleep(for: .seconds(3600))
                try await writer.send("a")
                try await writer.sleep(for: .zero)
                try await writer.send("b")
            })

        let (body, _) = try await network.stream(.test("a"))

        #expect(try await body.text == "ab")
        #expect(network.requests.first?.sent.map(\.time) == [.zero, .zero])
    }

    /// As over a network, a piece that its client has may wait for the reader.
    @Test(arguments: Transport.allCases)
    func waitsUntilTheClientHasAPieceAndNotForItsReader(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        network.stub(
            .any,
            .stream { writer in
                for piece in ["a", "b"] { try await writer.send(piece) }
            })

        let (body, _) = try await session.stream(URLRequest(url: baseURL))
        await network.waitForResponses()

        #expect(network.requests.first?.sent.map(\.text) == ["a", "b"])
        #expect(try await body.text == "ab")
    }

    @Test func returnsFromASendAfterTheDelegate() async throws {
        let network = MockNetwork()
        let seen = Recorder<String>()
        network.stub(
            .any,
            .stream { writer in
                for number in 1...20 {
                    try await writer.send("\(number)")
                    seen.append("sent \(number)")
                }
            })
        let client = RecordingDelegate(seen)
        let session = URLSession(
            configuration: network.configuration, delegate: client, delegateQueue: nil)

        session.dataTask(with: .test("a")).resume()
        let events = await seen.events { $0 == "sent 20" }
        session.finishTasksAndInvalidate()

        #if canImport(FoundationNetworking)
        #expect(events == (1...20).flatMap { ["received \($0)", "sent \($0)"] })
        #else
        #expect(events.last == "sent 20")
        #endif
    }

    @Test func aClientThatLeavesBecauseOfAPieceHasTakenIt() async throws {
        let network = MockNetwork()
        let results = Recorder<URLError.Code?>()
        network.stub(
            .any,
            .stream { writer in
                for piece in ["a", "b"] {
                    do {
                        try await writer.send(piece)
                        results.append(nil)
                    } catch {
                        results.append((error as? URLError)?.code)
                    }
                }
            })
        let session = URLSession(
            configuration: network.configuration, delegate: LeavingDelegate(network),
            delegateQueue: nil)

        session.dataTask(with: .test("a")).resume()

        #expect(await results.events { $0 != nil } == [nil, .networkConnectionLost])
        session.finishTasksAndInvalidate()
    }

    enum Leaving: CaseIterable {
        case loop, task
    }

    @Test(arguments: Transport.allCases, Leaving.allCases)
    func endsWhenTheClientLeaves(_ transport: Transport, _ leaving: Leaving) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let (session, baseURL) = try transport.open(network)
        let errors = Recorder<URLError.Code?>()
        network.stub(
            .any,
            .stream { writer in
                // The client may read the piece and leave before the delegate has returned.
                try? await writer.send("a")
                do {
                    try await writer.sleep(for: .seconds(30))
                } catch {
                    errors.append((error as? URLError)?.code)
                }
                do {
                    try await writer.send("b")
                } catch {
                    errors.append((error as? URLError)?.code)
                }
                // A call that begins after the end may throw just before the cancellation.
                await yieldWhile { true }
                errors.append(.cancelled)
            })
        let request = URLRequest(url: baseURL)

        switch leaving {
        case .loop:
            let (body, _) = try await session.stream(request)
            for try await _ in body { break }
        case .task:
            let reading = Gate()
            let reader = Task {
                let (body, _) = try await session.stream(request)
                for try await _ in body { reading.open() }
            }
            await reading.wait()
            reader.cancel()
            _ = await reader.result
        }

        let codes = await errors.events { $0 != .networkConnectionLost }
        #expect(codes == [.networkConnectionLost, .networkConnectionLost, .cancelled])
        #expect(network.requests.map(\.wasCancelled) == [true])
        #expect(clock.pending == [] && clock.pendingDeadlines == [])
    }

    @Test(arguments: Transport.allCases)
    func itsErrorFailsTheBody(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        network.stub(
            .any,
            .stream { writer in
                try await writer.send("a")
                throw URLError(.networkConnectionLost)
            })

        let (body, _) = try await session.stream(URLRequest(url: baseURL))
        var pieces = body.makeAsyncIterator()

        #expect(try await pieces.next()?.text == "a")
        let error = await #expect(throws: URLError.self) { _ = try await pieces.next() }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test(arguments: Transport.allCases)
    func timesOutWhenNoPieceComes(_ transport: Transport) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let (session, baseURL) = try transport.open(network)
        let isCancelled = Gate()
        network.stub(
            .any,
            .stream { writer in
                // It fails if the client times out before the delegate has returned.
                try? await writer.send("a")
                _ = try? await waitForCancellation()
                isCancelled.open()
            })

        let (body, _) = try await session.stream(URLRequest(url: baseURL))
        var pieces = body.makeAsyncIterator()
        #expect(try await pieces.next()?.text == "a")
        await clock.advance(by: .seconds(60))

        let error = await #expect(throws: URLError.self) { _ = try await pieces.next() }
        #expect(error?.code == (transport == .loopback ? .networkConnectionLost : .timedOut))
        await isCancelled.wait()
    }

    @Test(arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)])
    func runsNoClosureWithoutABody(_ method: String, _ status: Int) async throws {
        let network = MockNetwork()
        network.stub(
            .any, .stream(status: status) { _ in Issue.record("The closure must not run.") })

        let (data, response) = try await network.urlSession.exchange(.test("a", method: method))

        #expect(data.isEmpty)
        #expect(response.statusCode == status)
    }

    @Test func aWriterSendsNothingAfterItsClosure() async throws {
        let network = MockNetwork()
        let kept = Locked<StreamWriter?>(nil)
        network.stub(.any, .stream { writer in kept.withLock { $0 = writer } })

        _ = try await network.exchange(.test("a"))
        let writer = try #require(kept.withLock { $0 })

        await #expect(throws: URLError(.networkConnectionLost)) { try await writer.send("a") }
        await #expect(throws: URLError(.networkConnectionLost)) {
            try await writer.sleep(for: .seconds(1))
        }
    }

    @Test func itsClosureHasTheTaskLocalsOfTheNetwork() async throws {
        let network = Name.$current.withValue("maker") { MockNetwork() }
        let stub = network.stub(.any, .stream { try await $0.send(Name.current) }.held)
        let load = Name.$current.withValue("caller") {
            Task { try await network.exchange(.test("a")).0.text }
        }

        await stub.waitForRequests()
        Name.$current.withValue("test") { stub.release() }

        #expect(try await load.value == "maker")
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        let network = MockNetwork()
        network.stub(
            .any,
            .stream { writer in
                withUnsafeCurrentTask { $0?.cancel() }
                await #expect(throws: CancellationError.self) { try await writer.send("a") }
            })

        let (data, _) = try await network.exchange(.test("a"))

        #expect(data.isEmpty)
        #expect(network.requests.first?.sent == [])
    }

    private static let passed = MockResponse.passthrough(to: MockURLSession())

    private static let unchangeable: [(reason: String, responses: [MockResponse])] = [
        (
            "the code that sends a .stream decides",
            [
                .stream { _ in }.chunked(by: 1), .stream().failing(afterBytes: 1),
                .stream().failing(afterHeaderBytes: 1), .stream().acceptingRanges,
            ]
        ),
        (
            "the real session decides",
            [
                passed.failing(afterBytes: 1), passed.failing(afterHeaderBytes: 1),
                passed.chunked(by: 1), passed.header("X", "1"),
                passed.acceptingRanges,
            ]
        ),
        (
            "so it has no body",
            [.error(.timedOut).failing(afterBytes: 1), .hanging.failing(afterHeaderBytes: 1)]
        ),
    ]

    @Test func refusesAChangeOfWhatOthersDecide() {
        for (reason, responses) in Self.unchangeable {
            for response in responses {
                #expect("\(response)".hasPrefix("unusable response: "))
                #expect("\(response)".contains(reason))
            }
        }
    }
}

private enum Name {
    @TaskLocal static var current = ""
}

/// A delegate that records the pieces that it receives.
private final class RecordingDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let recorder: Recorder<String>

    init(_ recorder: Recorder<String>) {
        self.recorder = recorder
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        recorder.append("received \(data.text)")
    }
}

/// A delegate that cancels its task at the first piece, and returns when the network knows that.
private final class LeavingDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let network: MockNetwork

    init(_ network: MockNetwork) {
        self.network = network
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        dataTask.cancel()
        while network.requests.first?.endTime == nil { sched_yield() }
    }
}

extension HTTPBody {
    /// The whole body as text.
    var text: String {
        get async throws {
            var data = Data()
            for try await piece in self { data += piece }
            return data.text
        }
    }
}
