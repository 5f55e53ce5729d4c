import APIKitLite
import APIKitLiteTesting
import TestSupport

/// No text about a replay shows a secret of the live request.
@Suite(.limited) struct ReplayTextTests {
    private func archive() throws -> HTTPArchive {
        try .of(
            postEntry(#"{"a":1,"password":"REDACTED-1"}"#, "/p?token=REDACTED-1"),
            entry("GET", "/a?access_token=a-recorded-5ecret"), entry("GET", "/accounts/REDACTED-2"))
    }

    private static let live = URLRequest.api("a?access_token=zQ8hunter2Lm")

    /// Requests to which the archive has no response.
    static let requests =
        PlantedSecret.all.map(\.request)
        + [
            #"{"a":2,"password":"zQ8hunter2Lm"}"#, #"{"a":1,"password":["zQ8hunter2Lm"]}"#,
            "any text with zQ8hunter2Lm", "password=zQ8hunter2Lm",
        ].map { .api("p", body: $0) }

    @Test(arguments: [false, true])
    func anUnknownRequestShowsNoSecret(_ hasOtherStubs: Bool) async throws {
        let archive = try archive()
        await forEachRow(Self.requests) { request, comment in
            let network = MockNetwork()
            network.stub(archive)
            if hasOtherStubs {
                network.stub(
                    .post("/p").header("Authorization", "Bearer x").header("X-Api-Key", "x")
                        .header("Cookie", "x").query(["token": "x"]).json(#"{"a": 1}"#),
                    .status(200))
            }
            let error = await #expect(throws: MockError.self, comment) {
                try await network.exchange(request)
            }
            let verification = #expect(throws: VerificationError.self, comment) {
                try network.verify()
            }
            for text in [
                error?.description, error?.localizedDescription, verification?.description,
                verification?.localizedDescription, network.requests[0].description,
            ] {
                #expect(text?.contains("hunter") == false, comment)
                #expect(text?.contains("5ecret") == false, comment)
            }
        }
    }

    /// An error hides the names that each of several archives hides.
    @Test func hidesTheSecretsOfEachArchive() async throws {
        let network = MockNetwork()
        for name in ["page", "color"] {
            network.stub(try archive(), redacting: .standard.adding(name))
        }
        let error = await #expect(throws: MockError.self) {
            try await network.exchange(.api("x?page=first&color=second"))
        }
        let text = try #require(error).description
        #expect(text.contains("/x?page=REDACTED&color=REDACTED"), "\(text)")
    }

    @Test func aSuggestedStubMatchesAnySecret() async throws {
        let network = MockNetwork()
        network.stub(try archive(), times: .any)
        network.stub(.get("/x"), .status(200), times: .any)
        let path = "zQ8hunter2Lm/x/kT5hunter9Wx?token=zQ8hunter2Lm&password=kT5hunter9Wx&page=2"
        let error = await #expect(throws: MockError.self) { try await network.exchange(.api(path)) }
        let stub = #"network.stub(.get("/{value}/x/{value2}").query(["page": "2"]), .json("{}"))"#
        #expect(error?.description.hasSuffix(stub) == true, "\(error!)")
    }

    @Test func otherErrorsShowNoSecret() async throws {
        for times in [Stub.Times.atLeast(1), .never, .exactly(3)] {
            let network = MockNetwork()
            network.stub(try archive(), times: times)
            var errors: [String] = []
            for _ in 0..<2 {
                do { _ = try await network.exchange(Self.live) } catch { errors.append("\(error)") }
            }
            #expect(!errors.isEmpty)
            for text in errors { #expect(!text.contains("hunter"), "\(text)") }
            let verification = #expect(throws: VerificationError.self) { try network.verify() }
            #expect("\(verification!)".contains("hunter") == false)
        }
    }

    @Test func aRequestThatStillWaitsShowsNoSecret() async throws {
        let network = try MockNetwork.replaying(
            entry(
                "GET", "/a?access_token=REDACTED-1", status: 0, response: #", "_ending": "left""#))
        let task = Task { try await network.exchange(Self.live) }
        await network.waitForRequests(1)
        let verification = #expect(throws: VerificationError.self) { try network.verify() }
        #expect("\(verification!)".contains("access_token=REDACTED"), "\(verification!)")
        task.cancel()
        _ = await task.result
    }

    /// The opposite: in a network without a recording, a text shows what the test sent.
    @Test func aNetworkWithoutARecordingShowsEverything() async throws {
        let network = MockNetwork()
        network.stub(.get("/x"), .status(200), times: .any)
        let error = await #expect(throws: MockError.self) { try await network.exchange(Self.live) }
        #expect(error?.description.contains("zQ8hunter2Lm") == true)
    }
}
