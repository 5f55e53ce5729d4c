import APIKitLite
import APIKitLiteTesting
import TestSupport

/// Predicates are the test's own code, which may use a URLSession.
@Suite(.limited, .usesSockets) struct PredicateTests {
    @Test(arguments: Transport.allCases)
    func aPredicateMayStartAndCancelATask(_ transport: Transport) async throws {
        let other = MockNetwork()
        other.stub(.any, .hanging, times: .any)
        let startsATask = RequestMatcher.any.where("starts and cancels a task") { _ in
            let task = other.urlSession.dataTask(with: .test("b"))
            task.resume()
            task.cancel()
            return true
        }
        for matcher in [
            startsATask, .anyOf(.get("/other"), startsATask), .any.not(.any.not(startsATask)),
        ] {
            let client = try TestClient(transport)
            client.network.stub(matcher, .text("x"))

            #expect(try await client.load() == "x")
        }
    }

    @Test func aPredicateMayReleaseAStub() async throws {
        let network = MockNetwork()
        let held = network.stub(.get("/held"), .text("held").held)
        network.stub(
            .get("/release").where("releases the other") { _ in
                held.release()
                return true
            }, .text("x"))
        async let load = network.urlSession.exchange(.test("held")).0.text
        await held.waitForRequests()

        _ = try await network.urlSession.exchange(.test("release"))

        #expect(try await load == "held")
    }

    @Test func aPredicateMayBlockUntilAnotherRequestGetsAResponse() async throws {
        let network = MockNetwork()
        network.stub(.get("/inner"), .text("inner"), times: .any)
        network.stub(
            .get("/outer").where("asks the same network") { _ in
                let responded = DispatchSemaphore(value: 0)
                network.urlSession.dataTask(with: .test("inner")) { _, _, _ in responded.signal() }
                    .resume()
                return responded.wait(timeout: .now() + 900) == .success
            }, .text("outer"))

        #expect(try await network.urlSession.exchange(.test("outer")).0.text == "outer")
    }

    // If the network held a lock while the predicate runs, this test would not end.
    @Test func aPredicateMayUseItsOwnNetwork() async throws {
        let network = MockNetwork()
        network.stub(
            .any.where("adds a stub") { _ in
                network.stub(.get("/later"), .text("later"), times: .any)
                return network.requests.isEmpty
            }, .text("first"), times: .once)

        #expect(try await network.exchange(.test("a")).0.text == "first")
        #expect(try await network.exchange(.test("later")).0.text == "later")
    }
}
