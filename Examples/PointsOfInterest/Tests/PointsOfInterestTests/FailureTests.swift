import APIKitLite
import APIKitLiteTesting
import Foundation
import PointsOfInterest
import Testing
import pois

@Suite struct FailureTests {
    @Test(
        arguments: [
            (.error(.cannotConnectToHost), "the server could not be reached."),
            (.error(.timedOut), "the request timed out."),
            (.status(500), "the server answered 500 (Internal Server Error)."),
            (.json(#"{"error": "No\nmaps."}"#, status: 503), "it answered 503: No maps."),
            (.text("<html>"), "its answer is not a JSON array of places."),
            (.json(#"{"name": "x"}"#), "its answer is not a JSON array of places."),
        ] as [(MockResponse, String)])
    func namesTheServerAndTheReason(_ response: MockResponse, _ reason: String) async throws {
        let network = MockNetwork()
        network.stub(.any, response)
        let baseURL = try #require(URL(string: "http://emma:secret@example.com:8080/v1?key=secret"))
        let loader = APIRequestLoader(
            apiRequest: PointsOfInterestRequest(baseURL: baseURL), urlSession: network.urlSession)

        let error = try await #require(throws: APIRequestError.self) {
            try await loader.load(Coordinate(latitude: 0, longitude: 0))
        }

        #expect(
            sentence(about: error, from: baseURL)
                == "Cannot load places from http://example.com:8080/v1: \(reason)")
    }

    @Test func saysWhatToDoAboutAPort() {
        #expect(
            sentence(about: LoopbackServerError.portInUse(8080))
                == "Port 8080 is in use; choose another, or 0 for any that is free.")
        #expect(
            sentence(about: LoopbackServerError.cannotListen(port: 80, reason: "Permission denied"))
                == "Port 80 cannot be used (Permission denied); "
                + "choose another, or 0 for any that is free.")
    }

    @Test(
        arguments: [
            ("127.0.0.1", [:], "127.0.0.1"),
            ("localhost", ["no_proxy": ""], "localhost"),
            ("[::1]", ["no_proxy": "a.test, b.test"], "a.test,b.test,::1"),
            ("127.0.0.1", ["NO_PROXY": "a.test"], "a.test,127.0.0.1"),
            ("127.0.0.1", ["no_proxy": "a.test", "NO_PROXY": "b.test"], "a.test,127.0.0.1"),
            ("127.0.0.1", ["no_proxy": "a.test,127.0.0.1"], nil),
            ("127.0.0.1", ["no_proxy": "*"], nil),
            ("example.com", [:], nil),
        ] as [(String, [String: String], String?)])
    func keepsServersOfThisMachineOffProxies(
        _ host: String, _ environment: [String: String], _ value: String?
    ) {
        #expect(noProxy(for: host, environment: environment) == value)
    }
}
