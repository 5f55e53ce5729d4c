import TestSupport

@Suite(.limited) struct StubOrderTests {
    private let network = MockNetwork()

    private func response(_ path: String) async throws -> String {
        try await network.exchange(.test(path)).0.text
    }

    @Test func theNewestMatchingStubRespondsWhateverItsCriteriaAre() async throws {
        let kinds: [(String, RequestMatcher)] = [
            ("template", .get("/users/{id}")), ("literal", .get("/users/42")), ("any", .any),
            ("path", .path("/users/42")), ("method", .method("GET")),
            ("rest", .path("/users/{+rest}")), ("mixed", .get("/{a}/4{b}")),
            ("exact", .any.path(exactly: "/users/4%32")), ("either", .anyOf(.get("/users/42"))),
        ]
        for start in kinds.indices {
            for (name, matcher) in kinds[start...] + kinds[..<start] {
                network.stub(matcher, .text(name))
                #expect(try await response("users/42") == name)
            }
        }
    }

    @Test func aPredicateIsCalledOnlyIfMethodAndPathMatch() async throws {
        let asked = Recorder<String>()
        network.stub(.any, .text("oldest"))
        for path in ["/{x}", "/{x}/{y}", "/b", "/a", "/a/"] {
            network.stub(
                .get(path).where("recorded") { _ in
                    asked.append(path)
                    return false
                }, .text("x"))
        }
        network.stub(
            .post("/a").where("recorded") { _ in fatalError("another method") }, .text("x"))

        #expect(try await response("a") == "oldest")

        #expect(await asked.events { $0 == "/{x}" } == ["/a", "/{x}"])
    }

    @Test func anOlderStubRespondsWhenANewerOneIsUsedUp() async throws {
        for number in 0..<1000 {
            network.stub(.get("/items/\(number)"), .text("old \(number)"), times: .any)
            network.stub(.get("/items/\(number)"), .text("new \(number)"), times: .once)
        }

        #expect(try await response("items/7") == "new 7")
        #expect(try await response("items/7") == "old 7")
        #expect(try await response("items/999") == "new 999")
    }

    @Test func aRemovedStubIsAskedNoMore() async throws {
        network.stub(.get("/a"), .text("old"))
        let stub = network.stub(.get("/a"), .text("new"))
        let unused = network.stub(.get("/b"), .text("unused"))

        #expect(try await response("a") == "new")
        network.remove(stub)
        network.remove(stub)
        network.remove(unused)
        #expect(try await response("a") == "old")
        #expect(stub.callCount == 1)
        try network.verify()
    }

    @Test func withoutStubsTheHandlerResponds() async throws {
        network.requestHandler = { _ in (HTTPURLResponse(), Data("handler".utf8)) }
        network.stub(.get("/a"), .text("stub"))
        network.stub(.get("/b"), .text("unused"))

        #expect(try await response("a") == "stub")
        network.removeAll()
        #expect(try await response("a") == "handler")
        try network.verify()
    }
}
