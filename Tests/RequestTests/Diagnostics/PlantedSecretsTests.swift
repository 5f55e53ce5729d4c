import APIKitLite
import Foundation
import TestSupport
import Testing

/// A secret in each of many places, which no text and no redacted message shows.
@Suite(.limited) struct PlantedSecretsTests {
    private static let secret = "zQ8hunter2Lm"

    /// A place in a request: a URL, headers, and a body with its type.
    struct Place: Sendable {
        let url: String
        var headers: [String: String] = [:]
        var body: String?

        static func url(_ url: String) -> Place { Place(url: url) }

        static func header(_ name: String, _ value: String) -> Place {
            Place(url: "https://h/p", headers: [name: value])
        }

        static func body(_ body: String, _ type: String = "application/json") -> Place {
            Place(url: "https://h/p", headers: ["Content-Type": type], body: body)
        }

        var request: URLRequest {
            var request = URLRequest(url: URL(string: url)!)
            request.httpMethod = "POST"
            request.allHTTPHeaderFields = headers
            request.httpBody = body.map { Data($0.utf8) }
            return request
        }
    }

    private static let form = "application/x-www-form-urlencoded"
    private static let multipart = "multipart/form-data; boundary=b"
    private static let digits = "1234567890abcdefABCDEF1234567890abcd"

    static let places: [Place] = [
        // URLs
        .url("https://emma:zQ8hunter2Lm@h/p"),
        .url("https://zQ8hunter2Lm@h/p"),
        .url("https://h/p?access_token=zQ8hunter2Lm"),
        .url("https://h/p?a=1&amp;key=zQ8hunter2Lm"),
        .url("https://h/p?a=1;token=zQ8hunter2Lm"),
        .url("https://h/p?a=1;b=2;c=3;d=4;e=5;token=zQ8hunter2Lm"),
        .url("https://h/p?token=x;zQ8hunter2Lm&a=1"),
        .url("https://h/p?%74oken=zQ8hunter2Lm"),
        .url("https://h/p?user%5Bpassword%5D=zQ8hunter2Lm"),
        .url("https://h/p#access_token=zQ8hunter2Lm&x=1"),
        .url("https://h/p#/callback?code=zQ8hunter2Lm"),
        .url("https://h/a;jsessionid=zQ8hunter2Lm"),
        .url("https://h/a;v=1;token=zQ8hunter2Lm/b"),
        .url("https://h/p?next=https%3A%2F%2Fx%2F%3Faccess_token%3DzQ8hunter2Lm"),
        .url("https://h/p?next=https://x/?access_token=zQ8hunter2Lm"),
        .url("https://h/p?next=%2Fa%3Bjsessionid%3DzQ8hunter2Lm"),
        .url("https://h/p?next=https%3A%2F%2Femma%3AzQ8hunter2Lm%40x%2F"),
        .url("https://h/p?state=a%3D1%26token%3DzQ8hunter2Lm"),
        .url("https://h/p?filter=%7B%22token%22%3A%22zQ8hunter2Lm%22%7D"),
        .url("https://h/p?a=1#next=https%3A%2F%2Fx%2F%3Ftoken%3DzQ8hunter2Lm"),
        .url("https://h/zQ8hunter2Lm?token=zQ8hunter2Lm"),
        .url("https://h/botzQ8hunter2Lm/send?token=zQ8hunter2Lm"),
        // Headers
        .header("Authorization", "Bearer zQ8hunter2Lm"),
        .header("Authorization", "zQ8hunter2Lm"),
        .header("X-Api-Key", "zQ8hunter2Lm"),
        .header("X-Auth", "zQ8hunter2Lm"),
        .header("Cookie", "sid=zQ8hunter2Lm; theme=dark"),
        .header("Cookie", "zQ8hunter2Lm"),
        .header("Cookie", "theme=dark; zQ8hunter2Lm"),
        .header("Cookie", "sid=\"zQ8hunter2Lm\""),
        .header("Set-Cookie", "sid=zQ8hunter2Lm; Path=/"),
        .header("Set-Cookie", "zQ8hunter2Lm; Path=/"),
        .header("Set-Cookie", "a=b; Expires=Wed, 09 Jun 2027 10:18:14 GMT, sid=zQ8hunter2Lm"),
        .header("Referer", "https://x/?access_token=zQ8hunter2Lm"),
        .header("Link", "<https://x/?page=2&token=zQ8hunter2Lm>; rel=\"next\""),
        .header("Refresh", "0; url=https://x/?token=zQ8hunter2Lm"),
        .header("X-Meta", #"{"token": "zQ8hunter2Lm"}"#),
        Place(
            url: "https://h/p",
            headers: ["X-Copy": "zQ8hunter2Lm", "Authorization": "Bearer zQ8hunter2Lm"]),
        // JSON
        .body(#"{"password": "zQ8hunter2Lm"}"#),
        .body(#"{"a": [{"client_secret": ["zQ8hunter2Lm"]}]}"#),
        .body(#"{"credentials": {"user": "emma", "deep": {"x": "zQ8hunter2Lm"}}}"#),
        .body(#"{"\u0074oken": "zQ8hunter2Lm"}"#),
        .body(#"{"token": "\u007aQ8hunter2Lm"}"#),
        .body(#"{"token": "zQ8hunter2Lm", "token": "zQ8hunter2Lm"}"#),
        .body(#"{"token": "zQ8hunter2Lm", "token": null}"#),
        .body(#"[{"name": "password", "value": "zQ8hunter2Lm"}]"#),
        .body(#"[{"Value": {"x": "zQ8hunter2Lm"}, "Name": "password"}]"#),
        .body(#"[{"op": "add", "path": "/password", "value": "zQ8hunter2Lm"}]"#),
        .body(#"{"next": "https://x/?token=zQ8hunter2Lm"}"#),
        .body(#"{"text": "see https://x/?token=zQ8hunter2Lm, and go on"}"#),
        .body(#"{"json": "{\"token\": \"zQ8hunter2Lm\"}"}"#),
        .body(#"{"password": "zQ8hunter2Lm", "note": "it is zQ8hunter2Lm"}"#),
        .body(#"{"password": "zQ8hunter2Lm", "zQ8hunter2Lm": 1}"#),
        .body("\u{feff}{\"password\": \"zQ8hunter2Lm\"}"),
        // What was cut by a lost connection, and several values.
        .body(#"{"a": 1, "access_token": "zQ8hunter2Lm"#),
        .body("{\"token\": \"zQ8hunter2Lm\"}\n{\"token\": \"zQ8hunter2Lm\"}\n"),
        .body("event: a\ndata: {\"token\": \"zQ8hunter2Lm\"}\n\n", "text/event-stream"),
        // Forms
        .body("a=1&password=zQ8hunter2Lm", form),
        .body("a=1;password=zQ8hunter2Lm", form),
        .body("payload=%7B%22token%22%3A%22zQ8hunter2Lm%22%7D", form),
        .body("payload={\"token\":\"zQ8hunter2Lm\"}", form),
        .body("next=https%3A%2F%2Fx%2F%3Ftoken%3DzQ8hunter2Lm", form),
        // Multipart
        .body(
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nzQ8hunter2Lm\r\n--b--\r\n",
            multipart),
        .body(
            "--b\r\nContent-Disposition: form-data; name=\"token\"; filename=\"a.txt\"\r\n"
                + "Content-Type: text/plain\r\n\r\nzQ8hunter2Lm\r\n--b--\r\n", multipart),
        .body(
            "--b\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: application/json"
                + "\r\n\r\n{\"token\":\"zQ8hunter2Lm\"}\r\n--b--\r\n", multipart),
        .body(
            "--b\nContent-Disposition: form-data; name=\"pin\"\n\nzQ8hunter2Lm\n--b--\n", multipart),
    ]

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private func texts(_ place: Place, _ redaction: Redaction = .standard) -> [String] {
        let request = place.request
        let response = HTTPURLResponse(
            url: request.url!, statusCode: 400, httpVersion: nil, headerFields: place.headers)!
        let data = Data((place.body ?? "").utf8)
        let decoding = DecodingError.typeMismatch(
            Int.self, .init(codingPath: [PathKey(intValue: 0)], debugDescription: ""))
        var errors: [APIRequestError] = []
        for underlying in [decoding, UnacceptableStatus(statusCode: 400)] as [any Error] {
            // With the secret in the request, and only in the answer.
            for request in [request, URLRequest(url: URL(string: "https://h")!)] {
                errors.append(
                    APIRequestError(
                        stage: .parse, request: request, response: response, data: data,
                        underlying: underlying, redaction: redaction))
            }
        }
        var texts = [
            request.curlCommand(redacting: redaction),
            ExchangeEvent(.started, id: 1, request).description,
        ]
        for error in errors {
            texts += [error.description, error.localizedDescription]
            texts.append(ExchangeEvent(rejected: error).description)
        }
        return texts
    }

    private func redacted(_ place: Place) -> [String] {
        let redaction = Redaction.standard.hidingValues(of: place.request)
        let type = place.headers["Content-Type"]
        return [
            redaction.url(place.url),
            String(
                decoding: redaction.redacted(Data((place.body ?? "").utf8), contentType: type),
                as: UTF8.self),
        ] + place.headers.map { redaction.value($1, named: $0) }
    }

    @Test(arguments: places)
    func showsNoSecret(_ place: Place) {
        for text in texts(place) + redacted(place) {
            #expect(!text.contains(Self.secret) && !text.contains("hunter"), "\(text)")
        }
    }

    /// Redacting again changes nothing, so a check of a file is a comparison.
    @Test(arguments: places)
    func changesNothingTwice(_ place: Place) {
        let shown = redacted(place)
        let type = place.headers["Content-Type"]

        #expect(Redaction.standard.url(shown[0]) == shown[0])
        let body = Redaction.standard.redacted(Data(shown[1].utf8), contentType: type)
        #expect(String(decoding: body, as: UTF8.self) == shown[1])
        for (name, value) in zip(place.headers.keys, shown.dropFirst(2)) {
            #expect(Redaction.standard.value(value, named: name) == value)
        }
    }

    @Test(arguments: places)
    func keepsJSONReadable(_ place: Place) throws {
        guard let body = place.body.map({ Data($0.utf8) }), (try? JSONText.read(body)) != nil
        else { return }

        _ = try JSONText.read(Redaction.standard.redacted(body, contentType: nil))
    }

    /// Tokens are found by their shapes, also in paths and under ordinary names.
    @Test(arguments: [
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
        "ghp_\(digits)", "gho_\(digits)", "github_pat_\(digits)", "sk_live_\(digits)",
        "glpat-\(digits)", "npm_\(digits)", "xoxb-\(digits)", "AKIA1234567890ABCDEF",
        "SG.\(digits).\(digits)", "AIza\(digits)",
    ])
    func hidesTokensByTheirShape(_ token: String) {
        for place in [
            Place.url("https://h/p/\(token)/a"), .url("https://h/p?a=\(token)"),
            .header("X-A", "is \(token), or"), .body(#"{"a": ["\#(token)"]}"#),
            .body("a=\(token)&b=1", Self.form), .body("<a>\(token)</a>", "text/xml"),
        ] {
            for text in texts(place) + redacted(place) {
                #expect(!text.contains(token), "\(text)")
            }
        }
        let error = APIRequestError(
            stage: .validate, underlying: Failure(description: "No \(token)."))
        #expect(!error.description.contains(token))
    }

    /// The opposite: nothing is hidden that only looks like a secret, and the form stays.
    @Test(
        arguments: [
            .url(
                "https://h/a;v=1/b?a=1;b=2&next=https%3A%2F%2Fx%2F%3Fa%3D1&f=%7B%22a%22%3A1%7D#c=d"),
            .url("https://h/eyJustAWordThatIsLong1/sk-and-other-things/xoxo"),
            .header("WWW-Authenticate", "Bearer realm=\"x\", error=\"invalid_token\""),
            .header("Link", "<https://x/?page=2>; rel=\"next\", <https://x/?page=9>; rel=\"last\""),
            .header("Accept", "a/b;q=0.1, */*"), .header("Cache-Control", "max-age=60, private"),
            .body(
                #"{"a" : 1.50, "next_page_token": "abc", "max_tokens": 4096, "b": [true, null]}"#),
            .body("var a = t ? e.key=n : {token: b}; f(\"it's\")", "text/javascript"),
            .body("a=1&b=%7B%22a%22%3A1%7D&c=d+e&f", form),
            .body("data: {\"a\": 1}\n\ndata: [DONE]\n\n", "text/event-stream"),
            .body(
                "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
                    + "--b\r\nContent-Disposition: form-data; name=\"c\"\r\n\r\n\r\n--b--\r\n",
                multipart),
        ] as [Place])
    func keepsTheRest(_ place: Place) {
        let shown = redacted(place)

        #expect(shown[0] == place.url)
        #expect(shown[1] == place.body ?? "")
        #expect(Array(shown.dropFirst(2)) == place.headers.map(\.value))
    }

    /// A server neither begins a line of a log, nor sends commands to a terminal, nor reverses text.
    @Test func showsNoControlCharacters() throws {
        let controls = "\u{1B}[2J\u{7F}\u{85}\u{9B}31m\u{2028}\u{2029}\u{202E}\u{2066}\u{7}\r"
        let kept = "\u{1F468}\u{200D}\u{1F469} \u{0645}\u{064E} \u{0915}\u{094D}"
        let text = "a\(controls)b \(kept)"
        let quoted = JSONText.quoted(text)
        let response = HTTPURLResponse(
            url: URL(string: "https://h")!, statusCode: 400, httpVersion: nil,
            headerFields: ["Content-Type": "text/x\u{9B}31m\u{202E}"])
        let decoding = DecodingError.keyNotFound(
            PathKey(stringValue: text),
            .init(codingPath: [PathKey(stringValue: text)], debugDescription: text))
        for underlying in [
            UnacceptableStatus(statusCode: 400), decoding, Failure(description: text),
            URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: text]),
            StreamError.event(ServerSentEvent(event: text, data: text)),
        ] as [any Error] {
            for body in ["{\(quoted): \(quoted)}", "[\(quoted)]"] {
                let error = APIRequestError(
                    stage: .validate, request: URLRequest(url: URL(string: "https://h")!),
                    response: response, data: Data(body.utf8), underlying: underlying)
                let shown = [
                    error.description, error.localizedDescription,
                    ExchangeEvent(rejected: error).description,
                    ExchangeEvent(.failed(underlying), id: 1, URLRequest(url: response!.url!))
                        .description,
                ]
                for text in shown {
                    let removed = text.unicodeScalars.filter {
                        "\(controls)".unicodeScalars.contains($0)
                    }
                    .filter { !"[2J31m".unicodeScalars.contains($0) }
                    #expect(removed.isEmpty, "\(text.debugDescription)")
                }
                if underlying is Failure { #expect(shown[0].contains(kept)) }
            }
        }
    }

    /// With a search for each of the values, this would take minutes.
    @Test(.timeLimit(.minutes(2))) func takesTheTimeOfThePlainTextForManySecrets() throws {
        let tokens = (0..<2_000).map { #"{"token":"tok-\#($0)-abcdefgh"}"# }.joined(separator: ",")
        let place = Place.body("[\(tokens)]")

        for text in texts(place) { #expect(!text.contains("abcdefgh")) }
    }
}
