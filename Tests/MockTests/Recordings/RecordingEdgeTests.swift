import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Odd archives, and secrets at odd places.
@Suite(.limited) struct RecordingEdgeTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.url.appending(path: "edge.har") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private static func request(
        _ path: String = "users/7", type: String? = nil, body: String? = nil
    ) -> URLRequest {
        var request = URLRequest.test(path, method: body == nil ? "GET" : "POST")
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        request.httpBody = body.map { Data($0.utf8) }
        return request
    }

    private static func post(_ json: String, _ answer: String) -> String {
        entry(
            "POST",
            request:
                #", "postData": {"mimeType": "application/json", "text": \#(JSONText.quoted(json))}"#,
            text: answer)
    }

    private func replaying(
        _ entries: String..., times: Stub.Times = .atLeast(1)
    ) throws -> (MockNetwork, MockURLSession) {
        let network = MockNetwork()
        network.stub(try folder.archive(entries.joined(separator: ",")), times: times)
        return (network, MockURLSession(network))
    }

    @Test(arguments: [
        #""status": "nan""#, #""status": 1e300"#, #""status": 99999999999999999999"#,
        #""status": 200, "_pieces": [[1e300, 5]]"#, #""status": 200, "_pieces": [[1, 1e300]]"#,
    ])
    func aNumberThatIsTooLargeCountsAsNone(_ members: String) throws {
        let text =
            #"{"time": 1e300, "request": {"url": "https://a.b/"}, "response": {\#(members), "content": {"text": "abcdefgh"}}}"#
        if members.contains("_pieces") {
            #expect(throws: HTTPArchiveError.self) { try folder.archive(text) }
        } else {
            let exchange = try folder.archive(text)[0]
            #expect(exchange.response == nil)
            #expect(exchange.pieces.map(\.time) == [.zero])
        }
    }

    @Test func aPlaceholderWithManyDigitsIsAText() throws {
        let path = "/a?token=abcdefghijk&t=REDACTED-9223372036854775807"
        try folder.archive(entry("GET", path)).write(to: file)
        let query = try HTTPArchive(contentsOf: file)[0].request.url?.query()
        #expect(query == "token=REDACTED-1&t=REDACTED-9223372036854775807")
    }

    /// Exchanges, and a text that must not be in their file.
    static let secrets: [(String, URLRequest, MockResponse, String)] = [
        (
            "JSON in a string", request(), .json(#"{"a":"{\"token\":\"inner-token-1\"}"}"#),
            "inner-token-1"
        ),
        (
            "a form without a type", request(body: "password=form-password-1&b=1"), .status(204),
            "form-password-1"
        ),
        (
            "a cookie in quotation marks", request(),
            .text("see cookie-value-1").header("Set-Cookie", #"sid="cookie-value-1"; Path=/"#),
            "cookie-value-1"
        ),
        (
            "the password of a URL",
            URLRequest(url: URL(string: "https://emma:url-password-1@a.b/")!),
            .text("see url-password-1"), "url-password-1"
        ),
        (
            "a URL in a part",
            request(
                type: "multipart/form-data; boundary=x",
                body:
                    "--x\r\nContent-Disposition: form-data; name=\"u\"\r\n\r\nhttps://b.c/?token=part-token-1\r\n--x--\r\n"
            ),
            .status(204), "part-token-1"
        ),
        (
            "a part that is equal to another one",
            request(
                type: "multipart/form-data; boundary=x",
                body:
                    "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1234\r\n--x\r\nContent-Disposition: form-data; name=\"pin\"\r\n\r\n1234\r\n--x--\r\n"
            ),
            .status(204), #"\"pin\"\u000d\n\u000d\n1234"#
        ),
        (
            "a URL in a query",
            URLRequest(url: URL(string: "https://a.b/?next=%2Fc%3Faccess_token%3Dq-1%26d%3D1")!),
            .status(204), "q-1"
        ),
        (
            "a URL in a string of JSON", request(),
            .json(#"{"a":"{\"b\":\"https://b.c/?sig=q-1\"}"}"#), "q-1"
        ),
        (
            "a value before its name", request(),
            .json(#"[{"value":"q-1","name":"password"}]"#), "q-1"
        ),
        (
            "lines of JSON with a value before its name", request(),
            .text(#"{"value":"q-1","key":"api_key"}"# + "\n{}\n"), "q-1"
        ),
        (
            "JSON Patch", request(),
            .json(#"[{"op":"replace","path":"/user/password","value":"q-1"}]"#), "q-1"
        ),
        (
            "JSON in a header", request(),
            .status(204).header("X-Data", #"{"token":"q-1"}"#), "q-1"
        ),
    ]

    /// Bodies in which a value of the redaction cannot be found, or is not text.
    static let unsearchable: [(String, Data)] = [
        ("gzip", Data([0x1F, 0x8B, 8, 0, 1, 2])), ("zip", Data([0x50, 0x4B, 3, 4, 0, 255])),
        ("bytes", Data([0, 255]) + Data("secret-value".utf8)),
    ]

    @Test func aBodyThatMayHaveAValueIsRefused() async throws {
        await forEachRow(Self.unsearchable, named: \.0) { row, comment in
            let archive = HTTPArchive([try await HTTPArchive.Exchange.recorded(.data(row.1))])
            #expect(throws: HTTPArchiveError.self, comment) {
                try archive.write(to: file, redacting: .standard.adding(values: "secret-value"))
            }
            try archive.write(to: file)
        }
    }

    @Test func manySecretsTakeLinearTime() async throws {
        let fill = String(repeating: "lorem ipsum 1 ", count: 100)
        let archive = try await HTTPArchive(
            (0..<200).asyncMap { index in
                let token = String(UInt64(index + 77) &* 0x9E37_79B9_7F4A_7C15, radix: 36)
                return try await HTTPArchive.Exchange.recorded(
                    .json(#"{"token":"\#(token)","text":"\#(fill)"}"#),
                    to: Self.request("a?access_token=\(token)"))
            } as [HTTPArchive.Exchange])
        try archive.write(to: file)
        let read = try HTTPArchive(contentsOf: file)
        #expect(read[199].body.text.hasPrefix(#"{"token":"REDACTED-200""#))
    }

    @Test(arguments: ["GET", "POST"])
    func manyRequestsTakeLinearTime(_ method: String) async throws {
        let network = MockNetwork()
        network.stub(
            try folder.archive(
                (0..<3_000).map { index in
                    method == "GET"
                        ? entry("GET", "/users/\(index)", text: "\(index)")
                        : Self.post(#"{"id":"REDACTED-1","n":\#(index)}"#, "\(index)")
                }.joined(separator: ",")))
        let session = MockURLSession(network)
        for index in 0..<3_000 {
            let request =
                method == "GET"
                ? Self.request("users/\(index)")
                : Self.request(body: #"{"n":\#(index),"id":"live"}"#)
            #expect(try await session.exchange(request).0.text == "\(index)")
        }
        try network.verify()
    }

    @Test func aSecretAtAnOddPlaceIsReplaced() async throws {
        await forEachRow(Self.secrets, named: \.0) { row, comment in
            try HTTPArchive([try await HTTPArchive.Exchange.recorded(row.2, to: row.1)]).write(
                to: file)
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains(row.3), comment)
            #expect(text.contains("REDACTED-1"), comment)
            try HTTPArchive.checkSecrets(in: folder.url)
        }
    }

    @Test func aNumberThatIsASecretElsewhereLeavesJSON() async throws {
        let body = #"{"account_number":"12345678","id":12345678,"ids":[991234567800,12345678.5]}"#
        try HTTPArchive([try await HTTPArchive.Exchange.recorded(.json(body))]).write(to: file)
        let text = try HTTPArchive(contentsOf: file)[0].body.text
        #expect(
            text
                == #"{"account_number":"REDACTED-1","id":"REDACTED-NUMBER-1","ids":[991234567800,12345678.5]}"#
        )
    }

    @Test func aTokenInABinaryBodyIsRefused() async throws {
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"
        let archive = HTTPArchive([
            try await HTTPArchive.Exchange.recorded(.data(Data([0, 255, 1]) + Data(token.utf8)))
        ])
        #expect(throws: HTTPArchiveError.self) { try archive.write(to: file) }
    }

    @Test func aRequestWithoutPlaceholdersComesFirst() async throws {
        let (network, session) = try replaying(
            entry("GET", "/s/me", text: "me"), entry("GET", "/s/REDACTED-1", text: "token"))
        #expect(try await session.exchange(.test("s/me")).0.text == "me")
        #expect(try await session.exchange(.test("s/abc")).0.text == "token")
        try network.verify()
    }

    @Test func aNumberOfTimesIsVerified() async throws {
        let (network, session) = try replaying(entry(), times: .exactly(2))
        _ = try await session.exchange(.test("users/7"))
        #expect(throws: VerificationError.self) { try network.verify() }
    }

    @Test func aPieceThatEndsInsideACharacterIsFilled() async throws {
        let answer = #"{"id":"REDACTED-1","t":"ä"}"#
        let (_, session) = try replaying(
            Self.post(#"{"id":"REDACTED-1"}"#, answer)
                .replacing(#"}}}"#, with: #"}, "_pieces": [[0, 25], [0, 9]]}}"#))
        let data = try await session.exchange(Self.request(body: #"{"id":"live"}"#)).0
        #expect(data.text == #"{"id":"live","t":"ä"}"#)
    }

    @Test func driftSendsNoPlaceholder() async throws {
        var request = Self.request()
        request.setValue("Bearer REDACTED-1", forHTTPHeaderField: "Authorization")
        let network = MockNetwork()
        network.stub(.any, .text("a"))
        let exchange = try await HTTPArchive.Exchange.recorded(.text("a"), to: request)
        _ = await HTTPArchive([exchange]).drift(over: MockURLSession(network))
        #expect(network.requests.map { $0.header("Authorization") } == [nil])
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(
        _ transform: (Element) async throws -> Result
    ) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
