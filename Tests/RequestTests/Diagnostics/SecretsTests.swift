import APIKitLite
import Foundation
import TestSupport
import Testing

/// Puts a secret into each part of a request, and another one into the response under a secret name,
/// and searches all texts for them.
@Suite(.limited) struct SecretsTests {
    private static let secret = "hunter"
    /// Names without brackets: if only some characters of a URL are escaped, Foundation may escape
    /// the percent signs too.
    private static let names = SecretNameTests.secretNames.filter { !$0.contains("[") }

    /// Foundation on Linux writes the header `tokenValue` as `Tokenvalue`, in which the words can no
    /// longer be found: a word with `token` in it may be an ordinary one, such as `Tokenizer`.
    private static let headerNames = Set(names).subtracting(["tokenValue"])

    /// Returns the name in another case, unless its capitals separate words.
    private func mixedCase(_ name: String, _ random: inout SeededGenerator) -> String {
        guard name == name.lowercased() else { return name }
        return [name, name.uppercased(), name.capitalized].randomElement(using: &random)!
    }

    /// Returns the name with some characters percent-encoded.
    private func escaped(_ name: String, _ random: inout SeededGenerator) -> String {
        mixedCase(name, &random).utf8.map { byte in
            Int.random(in: 0..<4, using: &random) == 0
                ? "%" + String(byte, radix: 16) : String(UnicodeScalar(byte))
        }.joined()
    }

    /// Returns the name with some characters as `\u0041`.
    private func jsonEscaped(_ name: String, _ random: inout SeededGenerator) -> String {
        mixedCase(name, &random).utf8.map { byte in
            Int.random(in: 0..<4, using: &random) == 0
                ? "\\u00" + String(byte, radix: 16) : String(UnicodeScalar(byte))
        }.joined()
    }

    private func secretURL(_ name: String, _ random: inout SeededGenerator) -> String {
        let name = escaped(name, &random)
        return [
            "https://me:hunter2@h/p?a=b", "https://h/p?a=b&\(name)=hunter2&c=d",
            "https://h/p?\(name)=x+hunter2%20y", "https://h/p#\(name)=hunter2",
        ].randomElement(using: &random)!
    }

    private func secretJSON(
        _ key: String, _ random: inout SeededGenerator, depth: Int = 0
    ) -> String {
        let name = jsonEscaped(key, &random)
        switch Int.random(in: 0..<(depth > 4 ? 4 : 7), using: &random) {
        case 0: return #"{"a":1,"\#(name)":"hunter3"}"#
        case 1: return #"{"\#(name)" : {"deep":["hunter3",1]}}"#
        case 2: return #"{"name":"\#(name)","value":"hunter3"}"#
        case 3: return #"{"\#(name)":"\"hunter3\\"}"#
        case 4: return #"{"x":[\#(secretJSON(key, &random, depth: depth + 1)),null]}"#
        case 5: return "[\n  \(secretJSON(key, &random, depth: depth + 1))\n]"
        default: return #"{"q":"é?","r":\#(secretJSON(key, &random, depth: depth + 1))}"#
        }
    }

    private func secretRequest(_ secretName: String, _ random: inout SeededGenerator) -> URLRequest
    {
        var request = URLRequest(url: URL(string: secretURL(secretName, &random))!)
        request.httpMethod = "POST"
        let header = Self.headerNames.contains(secretName) ? secretName : "Authorization"
        request.setValue("hunter2", forHTTPHeaderField: mixedCase(header, &random))
        request.setValue(secretURL(secretName, &random), forHTTPHeaderField: "Referer")
        let name = escaped(secretName, &random)
        let (type, body) =
            [
                ("application/json", secretJSON(secretName, &random)),
                (nil, secretJSON(secretName, &random)),
                ("application/x-www-form-urlencoded", "a=b&\(name)=hunter2&c=d"),
                ("application/json", String(secretJSON(secretName, &random).dropLast())),
                ("text/plain", "hunter2"), ("multipart/form-data; boundary=x", "--x hunter2"),
            ].randomElement(using: &random)!
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(body.utf8)
        return request
    }

    private struct Failure: LocalizedError, CustomStringConvertible {
        let description: String
        var errorDescription: String? { description }
    }

    @Test func noTextShowsASecret() throws {
        var random = SeededGenerator(seed: 5)
        // Several times for each name, because the parts of a request are random.
        for name in Self.names.flatMap({ Array(repeating: $0, count: 4) }) {
            let request = secretRequest(name, &random)
            let body = secretJSON(name, &random)
            let underlying: [any Error] = [
                try #require(throws: DecodingError.self) {
                    try JSONDecoder().decode([[Int]].self, from: Data(body.utf8))
                },
                URLError(
                    .timedOut, userInfo: ["NSErrorFailingURLStringKey": secretURL(name, &random)]),
                Failure(
                    description:
                        "Failed: \(secretURL(name, &random)), and \"\(secretURL(name, &random))\"."),
                UnacceptableStatus(statusCode: 500),
            ]
            let response = HTTPURLResponse(
                url: request.url!, statusCode: 500, httpVersion: nil,
                headerFields: ["Content-Type": "application/json"])
            for (stage, error) in zip(
                APIRequestError.Stage.allCases, underlying.shuffled(using: &random))
            {
                let error = APIRequestError(
                    stage: stage, request: request, response: response, data: Data(body.utf8),
                    underlying: error)
                #expect(!error.description.contains(Self.secret), "\(name)")
                #expect(!error.localizedDescription.contains(Self.secret), "\(name)")
            }
            #expect(!request.curlCommand().contains(Self.secret), "\(name)")
            #expect(request.curlCommand(redacting: .none).contains(Self.secret), "\(name)")
        }
    }
}
