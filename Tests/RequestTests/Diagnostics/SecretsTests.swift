import APIKitLite
import Foundation
import Testing

/// Plants a secret wherever one may stand, and looks for it in everything that is written.
@Suite(.timeLimit(.minutes(5))) struct SecretsTests {
    private static let secret = "hunter2"
    private static let headers = [
        "Authorization", "Cookie", "Set-Cookie", "Proxy-Authorization", "X-Api-Key",
    ]
    private static let names = [
        "token", "access_token", "refresh_token", "id_token", "key", "api_key", "secret",
        "client_secret", "password", "signature", "code",
    ]

    /// In JSON a key or a code is as often none.
    private static let jsonNames = names.filter { !["key", "code"].contains($0) }

    private func mixedCase(_ name: String, _ random: inout SeededGenerator) -> String {
        String(name.map { Bool.random(using: &random) ? Character($0.uppercased()) : $0 })
    }

    /// The name with some characters percent-encoded.
    private func escaped(_ name: String, _ random: inout SeededGenerator) -> String {
        mixedCase(name, &random).utf8.map { byte in
            Int.random(in: 0..<4, using: &random) == 0
                ? "%" + String(byte, radix: 16) : String(UnicodeScalar(byte))
        }.joined()
    }

    /// The name with some characters as `\u0041`.
    private func jsonEscaped(_ name: String, _ random: inout SeededGenerator) -> String {
        mixedCase(name, &random).utf8.map { byte in
            Int.random(in: 0..<4, using: &random) == 0
                ? "\\u00" + String(byte, radix: 16) : String(UnicodeScalar(byte))
        }.joined()
    }

    private func secretURL(_ random: inout SeededGenerator) -> String {
        let name = escaped(Self.names.randomElement(using: &random)!, &random)
        return [
            "https://me:hunter2@h/p?a=b", "https://h/p?a=b&\(name)=hunter2&c=d",
            "https://h/p?\(name)=x+hunter2%20y", "https://h/p#\(name)=hunter2",
            "https://h/p?to=https%3A%2F%2Fh%2F%3F\(name)%3Dhunter2",
        ].randomElement(using: &random)!
    }

    private func secretJSON(_ random: inout SeededGenerator, depth: Int = 0) -> String {
        let name = jsonEscaped(Self.jsonNames.randomElement(using: &random)!, &random)
        switch Int.random(in: 0..<(depth > 4 ? 4 : 7), using: &random) {
        case 0: return #"{"a":1,"\#(name)":"hunter2"}"#
        case 1: return #"{"\#(name)" : {"deep":["hunter2",1]}}"#
        case 2: return #"["\#(secretURL(&random).replacing("/", with: "\\/"))"]"#
        case 3: return #"{"\#(name)":"\"hunter2\\"}"#
        case 4: return #"{"x":[\#(secretJSON(&random, depth: depth + 1)),null]}"#
        case 5: return "[\n  \(secretJSON(&random, depth: depth + 1))\n]"
        default: return #"{"q":"é?","r":\#(secretJSON(&random, depth: depth + 1))}"#
        }
    }

    private func plantedRequest(_ random: inout SeededGenerator) -> URLRequest {
        var request = URLRequest(url: URL(string: secretURL(&random))!)
        request.httpMethod = "POST"
        let header = Self.headers.randomElement(using: &random)!
        request.setValue("Bearer hunter2", forHTTPHeaderField: mixedCase(header, &random))
        request.setValue(secretURL(&random), forHTTPHeaderField: "Referer")
        let name = escaped(Self.names.randomElement(using: &random)!, &random)
        let (type, body) =
            [
                ("application/json", secretJSON(&random)), (nil, secretJSON(&random)),
                ("application/x-www-form-urlencoded", "a=b&\(name)=hunter2&c=d"),
                ("application/json", String(secretJSON(&random).dropLast())),
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

    @Test func noSecretIsEverWritten() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<500 {
            let request = plantedRequest(&random)
            let body = secretJSON(&random)
            let underlying: [any Error] = [
                try #require(throws: DecodingError.self) {
                    try JSONDecoder().decode([[Int]].self, from: Data(body.utf8))
                },
                URLError(.timedOut, userInfo: ["NSErrorFailingURLStringKey": secretURL(&random)]),
                Failure(
                    description: "Failed: \(secretURL(&random)), and \"\(secretURL(&random))\"."),
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
                #expect(!error.description.contains(Self.secret))
                #expect(!error.localizedDescription.contains(Self.secret))
            }
            #expect(!request.curlCommand().contains(Self.secret))
            #expect(request.curlCommand(redacting: .none).contains(Self.secret))
        }
    }
}
