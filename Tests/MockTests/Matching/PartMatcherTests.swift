import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct PartMatcherTests {
    private static let png = Data([0x89, 0x50, 0x4e, 0x47])
    private static let upload: [MultipartPart] = [
        .text("title", "x"), .text("tag", "a"), .text("tag", "b"),
        .file("avatar", fileName: "a.png", contentType: "image/PNG; q=1", data: png),
    ]

    private static func request(_ parts: [MultipartPart]) throws -> URLRequest {
        try URLRequest.test("a", method: "POST").multipartBody(parts, boundary: "XX")
    }

    @Test func matchesParts() throws {
        let request = try Self.request(Self.upload)
        let matchers: [RequestMatcher] = [
            .any.part("title"), .any.part("title", text: "x"), .any.part("tag", text: "a"),
            .any.part("tag", text: "b"), .any.part("avatar", fileName: "a.png"),
            .any.part("avatar", contentType: "image/png"), .any.part("avatar", data: Self.png),
            .any.part("avatar", fileName: "a.png", contentType: "Image/png", data: Self.png),
            .post("/a").part("title", text: "x").part("avatar"),
        ]
        for matcher in matchers {
            expect(
                matcher, takes: [request],
                leaves: [
                    .json(#"{"title":"x"}"#), .form("title=x"), .url(""),
                    request.with("Content-Type", "multipart/form-data"), try Self.request([]),
                    try Self.request([.text("other", "x")]),
                ])
        }
    }

    /// The number of parts and the type of each count.
    @Test func matchesARequestByItsParts() throws {
        func file(_ type: String) -> MultipartPart {
            .file("avatar", fileName: "a.png", contentType: type, data: Self.png)
        }
        let title = MultipartPart.text("title", "x")

        let png = file("image/png")
        let leaves = [
            [title, file("image/jpeg")], [title], [title, png, .text("other", "y")],
            [title, png, title],
        ]

        expect(
            .request(try Self.request([title, png])),
            takes: [try Self.request([file("image/PNG"), title])],
            leaves: try leaves.map(Self.request))
    }

    @Test func leavesOtherParts() throws {
        let request = try Self.request(Self.upload)
        let matchers: [RequestMatcher] = [
            .any.part("Title"), .any.part("title", text: ""), .any.part("title", text: "x "),
            .any.part("tag", text: "c"), .any.part("title", fileName: "a.png"),
            .any.part("title", contentType: "text/plain"), .any.part("avatar", fileName: "b.png"),
            .any.part("avatar", data: Self.png.dropLast()), .any.part("avatar", data: Data()),
            .any.part("avatar", fileName: "a.png", contentType: "image/jpeg"),
        ]
        for matcher in matchers { expect(matcher, leaves: [request]) }
    }

    @Test(arguments: Transport.allCases)
    func recordsParts(_ transport: Transport) async throws {
        let client = try TestClient(transport)
        client.network.stub(
            .post("/a").part("title", text: "x").part("avatar", data: Self.png), .status(204))

        let request = try client.request(method: "POST").multipartBody(Self.upload)
        #expect(try await client.session.exchange(request).1.statusCode == 204)

        let parts = try #require(client.network.requests.first?.parts)
        #expect(parts.map(\.name) == ["title", "tag", "tag", "avatar"])
        #expect(parts.map(\.text) == ["x", "a", "b", nil])
        #expect(parts.map(\.fileName) == [nil, nil, nil, "a.png"])
        #expect(parts.map(\.contentType) == [nil, nil, nil, "image/PNG; q=1"])
        #expect(parts[3].data == Self.png)
        #expect("\(parts[3])" == #"avatar=<file "a.png", image/png, 4 bytes>"#)
        try client.network.verify()
    }

    @Test(arguments: Transport.allCases)
    func anUnmatchedRequestShowsItsParts(_ transport: Transport) async throws {
        let client = try TestClient(transport)
        let request = try client.request(method: "POST").multipartBody([
            .text("title", "x\ny"), .text("password", "hunter2"),
            .file("avatar", fileName: "a.png", contentType: "image/png", data: Self.png),
        ])

        let text = await client.outcome(of: request).text

        #expect(
            text.contains(
                """
                , with the body 3 parts: title=x y, password=hunter2, \
                avatar=<file "a.png", image/png, 4 bytes>.
                """))
    }
}
