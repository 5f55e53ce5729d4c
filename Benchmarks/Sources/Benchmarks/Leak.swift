import APIKitLite
import APIKitLiteTesting
import Foundation
func leak() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [TalkURLProtocol.self]
    let talk = URLSession(configuration: configuration)
    TalkURLProtocol.requestHandler = { (Fixture.response(to: $0), Fixture.json) }
    let stubs = MockNetwork(); stubs.journalLimit = 100
    stubs.stub(.get("/places"), .data(Fixture.json, contentType: "application/json"))
    let closure = MockNetwork { (Fixture.response(to: $0), Fixture.json) }
    closure.journalLimit = 100
    for (name, op) in [("talk bare", { _ = try await bareLoad(talk, Fixture.request) }), ("talk exchange", { _ = try await talk.exchange(Fixture.request) }),
       ("stub bare", { _ = try await bareLoad(stubs.urlSession, Fixture.request) }), ("stub exchange", { _ = try await stubs.urlSession.exchange(Fixture.request) }), ("closure bare", { _ = try await bareLoad(closure.urlSession, Fixture.request) })] as [(String, () async throws -> Void)] {
       for _ in 0..<2 { let m = residentMegabytes(); for _ in 0..<10000 { try await op() }; print(name, residentMegabytes() - m) }
    }
}
