import APIKitLite
import APIKitLiteTesting

/// What happens to a cookie between the headers of the response that sets it and the end of its
/// body.
package enum CookieChange: CaseIterable, Sendable {
    case none, newer, deleted

    /// The values that are stored in the end.
    package var expectedValues: [String] {
        switch self {
        case .none: ["slow"]
        case .newer: ["new"]
        case .deleted: []
        }
    }

    /// Loads a slow response, changes the cookie, and ends the response.
    ///
    /// - Parameters:
    ///   - hasOld: Whether an earlier response sets the cookie, too.
    ///   - storesAtHeaders: Whether the storage shows that the headers have arrived.
    ///   - url: Returns the URL of a path of the network.
    /// - Returns: The values that are stored in the end.
    package func storedValues(
        _ network: MockNetwork, over session: any HTTPSession, in storage: HTTPCookieStorage,
        asStream: Bool, hasOld: Bool, storesAtHeaders: Bool = true, _ url: (String) -> URL
    ) async throws -> [String] {
        for value in ["old", "new"] {
            network.stub(
                .get("/\(value)"), .text("x").header("Set-Cookie", "id=\(value); Path=/"),
                times: .any)
        }
        // nginx passes the headers on together with the first byte of the body.
        let end = Gate()
        let slow = network.stub(
            .get("/slow"),
            .stream(headers: ["Set-Cookie": "id=slow; Path=/"]) { body in
                try await body.send("a")
                await end.wait()
                try await body.send("b")
            })
        if hasOld { _ = try await session.exchange(URLRequest(url: url("old"))) }

        let request = URLRequest(url: url("slow"))
        let stream = asStream ? try await session.stream(request).0 : nil
        let response = Task { if !asStream { _ = try await session.exchange(request) } }
        await slow.waitForRequests()
        if storesAtHeaders || asStream { await yieldWhile { storage.values != ["slow"] } }
        switch self {
        case .none: break
        case .newer: _ = try await session.exchange(URLRequest(url: url("new")))
        case .deleted: for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
        }
        end.open()
        _ = try await stream?.collect()
        try await response.value
        return storage.values
    }
}

extension HTTPCookieStorage {
    fileprivate var values: [String] { (cookies ?? []).map(\.value) }
}
