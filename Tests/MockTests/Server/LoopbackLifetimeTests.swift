import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesManySockets, .mayBlock) struct LoopbackCrowdTests {
    @Test func servesManyConnectionsAtOnce() throws {
        // 100, where the process may have as many descriptors.
        let count = min(100, raisedDescriptorLimit() / 8)
        let (held, server) = try HeldRequests.serve()
        let clients = try (0..<count).map { _ in try server.client(get("/")) }

        // All of them wait for a response now.
        #expect(held.waitForArrivals(clients.count))
        held.respondToAll()
        let responses = try clients.map { try $0.reply().text }
        #expect(Set(responses).count == clients.count)
    }
}

@Suite(.limited, .usesSockets, .mayBlock) struct LoopbackLifetimeTests {
    #if os(macOS) || os(Linux)
    /// A client that keeps connections open must not keep others out, not even when the process has no
    /// descriptors left for more.
    @Test func anIdleConnectionMakesRoomForAnother() async {
        // In a process of its own, because other tests could not open a file meanwhile.
        await #expect(processExitsWith: .success) {
            let (isHeld, cancelledCount) = (Gate(), Locked(0))
            let server = try LoopbackServer { request, respond in
                if request.url?.path == "/held" { isHeld.open() } else { respond(.of("")) }
                return { cancelledCount.withLock { $0 += 1 } }
            }
            // An older connection, which is not idle, stays open.
            let busy = try server.client(get("/held"))
            await isHeld.wait()
            let idle = try server.client(get("/"))
            #expect(try idle.reply().status == 200)
            var last: Int32 = -1
            while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 {
                last = descriptor
            }
            // The next client takes the last descriptor, so the server has none for it.
            close(last)

            let other = try server.client(get("/"))

            #expect(try other.reply().status == 200)
            try #require(cancelledCount.withLock { $0 } == 0)
            #expect(try idle.rest().isEmpty)
            withExtendedLifetime(busy) {}
        }
    }
    #endif

    /// A process that the test starts must not keep the server's port and connections open.
    @Test func aChildProcessInheritsNoSocket() throws {
        let server = try LoopbackServer.echo()
        let client = try server.client(get("/"))
        #expect(try client.reply().status == 200)

        let flags = (0..<Int32(clamping: raisedDescriptorLimit())).filter {
            localPort(of: $0) == server.port
        }.map { fcntl($0, F_GETFD) }

        #expect(flags == [FD_CLOEXEC, FD_CLOEXEC])
    }

    @Test func cancelsWhenTheClientHasGone() throws {
        let (held, server) = try HeldRequests.serve()
        var client: RawClient? = try server.client()
        client?.send(get("/"))
        #expect(held.waitForArrivals())
        client = nil

        #expect(held.waitForCancellations())
        // No client waits for these responses, so they must have no effect.
        held.respondToAll()
        withExtendedLifetime(server) {}
    }

    /// The server responds immediately here.
    @Test func respondsToAClientThatOnlyFinishedSending() throws {
        let server = try LoopbackServer { _, respond in
            respond(ResponsePart.of("x"))
            return {}
        }
        let client = try server.client(get("/a") + get("/b"), isFinished: true)

        #expect(try client.reply().text == "x")
        #expect(try client.reply().text == "x")
        #expect(try client.rest().isEmpty)
    }

    /// The response comes after the server has noticed that the client sends nothing more.
    @Test func respondsToAClientThatHasFinishedSendingLongAgo() throws {
        let (held, server) = try HeldRequests.serve()
        let old = try server.client("GET /old HTTP/1.0\r\n\r\n", isFinished: true)
        #expect(held.waitForArrivals())
        let client = try server.client(get("/"), isFinished: true)
        #expect(held.waitForArrivals())

        #expect(client.wasProbed() && old.wasProbed())
        held.respondToAll()
        // Nothing comes before the responses.
        #expect(try client.reply().text == "1")
        #expect(try old.reply().text == "0")
        #expect(try client.rest().isEmpty && old.rest().isEmpty)
        #expect(!held.hasCancelledMore)
    }

    @Test func streamsToAClientThatHasFinishedSending() throws {
        let parts = Locked<(@Sendable (ResponsePart) -> Void)?>(nil)
        let server = try LoopbackServer { _, respond in
            parts.withLock { $0 = respond }
            return {}
        }
        let client = try server.client(get("/"), isFinished: true)

        #expect(client.wasProbed())
        let respond = try #require(parts.withLock { $0 })
        let response = ResponsePart.of("a", "b")
        respond(ResponsePart(head: response.head))
        #expect(try client.hasBegunToReceive())
        for piece in response.body { respond(ResponsePart(pieces: [.init(data: piece)])) }
        // Longer than the server takes to look after its client again.
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) {
            respond(ResponsePart(end: .success(())))
        }
        #expect(try client.reply().text == "ab")
    }

    /// The head is sent before the server has looked after its client.
    @Test func streamsAtOnceToAClientThatHasFinishedSending() throws {
        let (hasArrived, hasFinished) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try LoopbackServer { _, respond in
            hasArrived.signal()
            hasFinished.blockUntilSignalled()
            let response = ResponsePart.of("a", "b")
            respond(ResponsePart(head: response.head))
            // Longer than the server takes to look after its client again.
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) {
                respond(ResponsePart(pieces: response.pieces, end: .success(())))
            }
            return {}
        }
        let client = try server.client(get("/"), isFinished: true)
        hasArrived.blockUntilSignalled()
        var byte: UInt8 = 0
        // The server has read the whole request, so this waits for the end of what the client sends.
        #expect(recv(try server.connectionDescriptor(), &byte, 1, Int32(MSG_PEEK)) == 0)
        hasFinished.signal()

        #expect(try client.reply().text == "ab")
        #expect(try client.rest().isEmpty)
    }

    /// No probe can tell whether such a client has left: its byte would be among those of the body.
    @Test func cancelsWhenTheClientFinishesSendingDuringAStream() throws {
        let cancelled = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _, respond in
            respond(ResponsePart(head: ResponsePart.of("a", "b").head))
            return { cancelled.signal() }
        }
        let client = try server.client(get("/"))
        #expect(try client.hasBegunToReceive())

        client.finishSending()

        #expect(cancelled.wait(timeout: .now() + 900) == .success)
        #expect(try client.rest().text.hasPrefix("HTTP/1.1 200 OK"))
    }

    /// A response may have several parts. Here, the last part cannot be sent.
    @Test(arguments: [false, true])
    func aCompleteResponseIsNotCancelledAlthoughItCannotBeSent(_ isStream: Bool) async throws {
        let network = MockNetwork()
        let server = try network.serve()
        // The client's side stays open, so the server does not notice anything.
        @Sendable func breakConnection() throws {
            shutdown(try server.connectionDescriptor(), Int32(SHUT_WR))
        }
        network.stub(.any) { _ in
            if !isStream {
                try breakConnection()
                return .text("a")
            }
            return .stream { writer in
                try await writer.send("a")
                try breakConnection()
            }
        }
        let client = try server.client(get("/"))

        await server.listener.closedConnections.wait { $0 >= 1 }
        #expect(network.requests.map(\.wasCancelled) == [false])
        // Only what was sent before arrives.
        let text = try client.rest().text
        #expect(isStream ? text.hasSuffix("\r\n1\r\na\r\n") : text.isEmpty)
    }

    /// The response is complete before the server is stopped, and its last part is not sent.
    @Test func aCompleteResponseIsNotCancelledByStoppingTheServer() async throws {
        let box = Locked<LoopbackServer?>(nil)
        let wasCancelled = Locked(false)
        let server = try LoopbackServer { _, respond in
            respond(.of("x"))
            box.withLock { $0 }?.stop()
            return { wasCancelled.withLock { $0 = true } }
        }
        box.withLock { $0 = server }
        let client = try server.client(get("/"))

        #expect(try client.rest().isEmpty)
        await server.listener.closedConnections.wait { $0 >= 1 }
        #expect(!wasCancelled.withLock { $0 })
    }

    /// The server is stopped as soon as the first response has been sent.
    @Test func aPipelinedRequestReachesNoHandlerAfterTheServerIsStopped() async throws {
        let box = Locked<LoopbackServer?>(nil)
        let count = Locked(0)
        let server = try LoopbackServer { _, respond in
            count.withLock { $0 += 1 }
            let receipt = Receipt()
            _ = receipt.whenEnded { box.withLock { $0 }?.stop() }
            var response = ResponsePart.of("x")
            response.pieces[0].receipt = receipt
            respond(response)
            return {}
        }
        box.withLock { $0 = server }
        let client = try server.client(get("/a") + get("/b"))

        #expect(try client.reply().text == "x")
        await server.listener.closedConnections.wait { $0 >= 1 }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func aSlowReaderDelaysNobody() throws {
        let large = Data(count: 8_000_000)
        let server = try LoopbackServer { .of($0.url?.path == "/large" ? [large] : [Data()]) }
        let slow = try server.client(get("/large"))
        let quick = try server.client(get("/small"))

        #expect(try quick.reply().status == 200)
        #expect(try slow.reply().body == large)
    }

    @Test func survivesAReaderThatLeaves() throws {
        let server = try LoopbackServer { _ in .of([Data(count: 16_000_000)]) }
        for _ in 0..<4 { _ = try server.client(get("/")) }
        let client = try server.client(get("/"))

        #expect(try client.reply().body.count == 16_000_000)
    }

    @Test func stopsWhileRequestsAreInFlight() throws {
        let (held, server) = try HeldRequests.serve()
        let clients = try (0..<3).map { _ in try server.client(get("/")) }
        #expect(held.waitForArrivals(3))

        server.stop()
        server.stop()

        #expect(held.waitForCancellations(3))
        #expect(!held.hasCancelledMore)
        held.respondToAll()
        for client in clients { #expect(try client.rest().isEmpty) }
    }

    /// Two connections must not wait for each other.
    @Test(arguments: [1, 2])
    func canBeStoppedOnItsOwnConnections(_ count: Int) throws {
        let box = Locked<LoopbackServer?>(nil)
        let held = (0..<3).map { _ in DispatchSemaphore(value: 0) }
        let (arrived, mayStop, cancelled) = (held[0], held[1], held[2])
        let server = try LoopbackServer { _, _ in
            arrived.signal()
            mayStop.blockUntilSignalled()
            box.withLock { $0 }?.stop()
            return { cancelled.signal() }
        }
        box.withLock { $0 = server }
        let clients = try (0..<count).map { _ in try server.client(get("/")) }
        for _ in clients { arrived.blockUntilSignalled() }

        for _ in clients { mayStop.signal() }

        for client in clients {
            #expect(try client.rest().isEmpty)
            #expect(cancelled.wait(timeout: .now() + 900) == .success)
        }
        server.stop()
    }

    @Test func givesItsPortBack() throws {
        // A test that runs beside this one may take the port in between, but not every time.
        let hasRestarted = try (0..<10).contains { _ in
            let first = try LoopbackServer.echo()
            let client = try first.client(get("/"))
            _ = try client.reply()
            first.stop()
            return (try? LoopbackServer(port: first.port) { _, _ in {} })?.url == first.url
        }

        #expect(hasRestarted)
    }

    @Test func saysThatThePortIsInUse() throws {
        let server = try LoopbackServer.echo()
        let error = #expect(throws: MockError.self) {
            try LoopbackServer(port: server.port) { _, _ in {} }
        }

        let reason = "port \(server.port): another program or server listens there. Choose another"
        #expect(error?.localizedDescription.contains(reason) == true)
    }

    @Test(arguments: [-1, 65_536])
    func refusesAnInvalidPort(_ port: Int) {
        let error = #expect(throws: MockError.self) {
            try LoopbackServer(port: port) { _, _ in {} }
        }

        #expect(error?.description.contains("0 to 65535") == true)
    }
}

extension LoopbackServer {
    /// Returns the server's descriptor of its only connection.
    fileprivate func connectionDescriptor() throws -> Int32 {
        let own = (0..<Int32(clamping: raisedDescriptorLimit())).first { descriptor in
            var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
            let hasPeer = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getpeername(descriptor, $0, &size) == 0
                }
            }
            return hasPeer && localPort(of: descriptor) == port
        }
        return try #require(own)
    }
}

/// The port of a socket of this process; nil for any other descriptor.
private func localPort(of descriptor: Int32) -> Int? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return result == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
}
