import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .usesSockets) struct CookieTests {
    @Test(arguments: Transport.allCases)
    func keepsSeveralOfOneAnswer(_ transport: Transport) async throws {
        let network = MockNetwork()
        network.stub(
            .get("/login"),
            .status(204)
                .header("Set-Cookie", "a=1; Path=/; Expires=Wed, 01 Jan 2098 00:00:00 GMT")
                .header("Set-Cookie", "b=2; Path=/"))
        network.stub(.get("/a"), .text("x"))
        let (session, baseURL) = try transport.open(network)

        for path in ["login", "a"] {
            _ = try await session.exchange(URLRequest(url: baseURL.appending(path: path)))
        }

        let sent = network.requests.last?.request.value(forHTTPHeaderField: "Cookie") ?? ""
        #expect(Set(sent.split(separator: "; ")) == ["a=1", "b=2"])
    }
}
