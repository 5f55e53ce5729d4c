import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

extension URLRequest {
    fileprivate static func parts(_ parts: [MultipartPart]) throws -> URLRequest {
        try URLRequest("POST", URL(string: "https://api.example.com")!, path: "/a")
            .multipartBody(parts)
    }
}

@Suite(.limited, .usesSockets) struct PartMatcherTests {
    private static let png = Data([0x89, 0x50, 0x4e, 0x47])
    private static let upload: [MultipartPart] = [
        .text("title", "x"), .text("tag", "a"), .text("tag", "b"),
        .file("avatar", fileName: "a.png", contentType: "image/PNG; q=1", data: png),
    ]

    @Test func matchesParts() throws {
        let request = try URLRequest.parts(Self.upload)
        let matchers: [RequestMatcher] = [
            .any.part("title"), .any.part("title", text: "x"), .any.part("tag", text: "a"),
            .any.part("tag", text: "b"), .any.part("avatar", fileName: "a.png"),
            .any.part("avatar", contentType: "image/png"), .any.part("avatar", data: Self.png),
            .any.part("avatar", fileName: "a.png", contentType: "Image/png", data: Self.png),
            .post("/a").part("title", text: "x").part("avatar"),
        ]
        for matcher in matchers {
            MatchCase(
                matcher, takes: [request],
                leaves: [
                    .json(#"{"title":"x"}"#), .form("title=x"), .query(""),
                    request.with("Content-Type", "multipart/form-data"),
                    try .parts([]), try .parts([.text("other", "x")]),
                ]
            ).check()
        }
    }

    /// The number of parts and the type of each count.
    @Test func matchesARequestByItsParts() throws {
        func request(_ parts: MultipartPart...) throws -> URLRequest {
            try URLRequest("POST", URL(string: "https://h")!).multipartBody(parts, boundary: "b")
        }
        func file(_ type: String) -> MultipartPart {
            .file("avatar", fileName: "a.png", contentType: type, data: Self.png)
        }
        let title = MultipartPart.text("title", "x")

        MatchCase(
            .request(try request(title, file("image/png"))),
            takes: [try request(file("image/PNG"), title)],
            leaves: [
                try request(title, file("image/jpeg")), try request(title),
                try request(title, file("image/png"), .text("other", "y")),
                try request(title, file("image/png"), title),
            ]
        ).check()
    }

    @Test func leavesOtherParts() throws {
        let request = try URLRequest.parts(Self.upload)
        let matchers: [RequestMatcher] = [
            .any.part("Title"), .any.part("title", text: ""), .any.part("title", text: "x "),
            .any.part("tag", text: "c"), .any.part("title", fileName: "a.png"),
            .any.part("title", contentType: "text/plain"), .any.part("avatar", fileName: "b.png"),
            .any.part("avatar", data: Self.png.dropLast()), .any.part("avatar", data: Data()),
            .any.part("avatar", fileName: "a.png", contentType: "image/jpeg"),
        ]
        for matcher in matchers { MatchCase(matcher, takes: [], leaves: [request]).check() }
    }

    @Test(arguments: Transport.allCases)
    func recordsParts(_ transport: Transport) async throws {
        let network = MockNetwork()
        network.stub(
            .post("/a").part("title", text: "x").part("avatar", data: Self.png), .status(204))
        let (session, baseURL) = try transport.open(network)
        let request = try URLRequest("POST", baseURL, path: "/a").multipartBody(Self.upload)

        let (_, response) = try await session.exchange(request)

        #expect(response.statusCode == 204)
        let parts = try #require(network.requests.first?.parts)
        #expect(parts.map(\.name) == ["title", "tag", "tag", "avatar"])
        #expect(parts.map(\.text) == ["x", "a", "b", nil])
        #expect(parts[0].fileName == nil)
        #expect(parts[0].contentType == nil)
        #expect(parts[3].fileName == "a.png")
        #expect(parts[3].contentType == "image/PNG; q=1")
        #expect(parts[3].data == Self.png)
        #expect("\(parts[3])" == #"avatar=<file "a.png", image/png, 4 bytes>"#)
        try network.verify()
    }

    @Test(arguments: Transport.allCases)
    func anUnmatchedRequestShowsItsParts(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        let request = try URLRequest("POST", baseURL, path: "/a").multipartBody([
            .text("title", "x\ny"), .text("password", "hunter2"),
            .file("avatar", fileName: "a.png", contentType: "image/png", data: Self.png),
        ])

        let text: String
        do { text = try await session.exchange(request).0.text } catch { text = "\(error)" }

        #expect(
            text.contains(
                """
                , with the body 3 parts: title=x y, password=hunter2, \
                avatar=<file "a.png", image/png, 4 bytes>.
                """))
    }
}
