import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Odd archives, and large ones.
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
        #expect(read[199].body.text.hasPrefix(#"{"token":"REDACTED""#))
        #expect(read[199].request.url?.absoluteString.hasSuffix("REDACTED") == true)
    }

    @Test(arguments: ["GET", "POST"])
    func manyRequestsTakeLinearTime(_ method: String) async throws {
        let network = MockNetwork()
        network.stub(
            try folder.archive(
                (0..<3_000).map { index in
                    method == "GET"
                        ? entry("GET", "/users/\(index)", text: "\(index)")
                        : Self.post(#"{"id":"REDACTED","n":\#(index)}"#, "\(index)")
                }.joined(separator: ",")), redacting: .standard.adding("id"))
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

    /// Each header is compared with those before it by a dictionary: 10,000 take a moment.
    @Test func manyHeadersTakeLinearTime() throws {
        let fields = (0..<10_000).map { #"{"name": "X-\#($0)", "value": "a"}"# }
        let exchange = try folder.archive(entry(headers: fields.joined(separator: ",")))[0]
        #expect(exchange.response?.value(forHTTPHeaderField: "X-9999") == "a")
    }

    @Test func aNumberOfTimesIsVerified() async throws {
        let (network, session) = try replaying(entry(), times: .exactly(2))
        _ = try await session.exchange(.test("users/7"))
        #expect(throws: VerificationError.self) { try network.verify() }
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
