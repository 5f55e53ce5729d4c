import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of Stubs.md about bodies.
@Suite(.limited, .usesSockets) struct StubsSamples {
    struct AvatarRequest: APIRequest {
        typealias ResponseDataType = Void

        var baseURL = URL(string: "https://api.example.com")!

        func makeRequest(from png: Data) throws -> URLRequest {
            try URLRequest("POST", baseURL, path: "/avatars").multipartBody(
                [
                    .text("title", "me"),
                    .file("avatar", fileName: "a.png", contentType: "image/png", data: png),
                ], boundary: "part-of-avatar")
        }
    }

    private let png = Data([0x89, 0x50, 0x4e, 0x47])

    @Test func uploadsAnAvatar() async throws {
        let png = png
        let network = MockNetwork()
        network.stub(
            .post("/avatars").part("title", text: "me")
                .part("avatar", fileName: "a.png", contentType: "image/png"),
            .status(201))
        let loader = APIRequestLoader(
            apiRequest: AvatarRequest(), urlSession: network)

        try await loader.load(png)

        let parts = try #require(network.requests.first?.parts)
        #expect(parts.map(\.name) == ["title", "avatar"])
        #expect(parts[1].data == png)
    }

    @Test func writesJSON() async throws {
        struct NewUser: Encodable {
            var name: String
            var tags: [String]
        }
        let user = NewUser(name: "Emma", tags: ["new"])
        let id = 42
        let network = MockNetwork()
        network.stub(
            .post("/users").json(encoding: user),
            .json(
                #"{"id": \#(id), "nickname": null}"#, status: 201,
                headers: ["Location": "/users/42"]))
        let request = try URLRequest(
            "POST", URL(string: "https://api.example.com")!, path: "/users"
        ).body(Data(#"{"name": "Emma", "tags": ["new"]}"#.utf8), contentType: "application/json")

        let (data, response) = try await network.exchange(request)

        #expect(data == Data(#"{"id": 42, "nickname": null}"#.utf8))
        #expect(response.value(forHTTPHeaderField: "Location") == "/users/42")
    }
}
