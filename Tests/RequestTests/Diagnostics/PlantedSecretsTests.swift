import TestSupport

@testable import APIKitLite

@Suite(.limited) struct PlantedSecretsTests {
    typealias Place = PlantedSecret

    private static let secret = PlantedSecret.secret
    private static let digits = "1234567890abcdefABCDEF1234567890abcd"

    private func texts(_ place: Place) -> [String] {
        let request = place.request
        let failures: [any Error] = [
            DecodingError.typeMismatch(
                Int.self, .init(codingPath: [PathKey(intValue: 0)], debugDescription: "")),
            UnacceptableStatusError(statusCode: 400),
            URLError(.timedOut, userInfo: ["NSErrorFailingURLStringKey": place.url]),
            Failure(description: "Failed: \(place.url), and \"\(place.url)\"."),
        ]
        let texts = failures.flatMap { underlying in
            // With the secret in the request, and only in the response.
            let requests = underlying is Failure ? [request] : [request, .plain("https://h")]
            return requests.flatMap { request in
                APIRequestError(
                    stage: .parse, request: request,
                    response: .status(400, headers: place.headers),
                    data: Data((place.body ?? "").utf8), underlying: underlying
                ).texts
            }
        }
        return texts + [request.curlCommand(), ExchangeEvent(.started, id: 1, request).description]
    }

    private func redacted(_ request: URLRequest) -> [String] {
        let shown = Redaction.standard.redacted(request)
        let headers = shown.allHTTPHeaderFields ?? [:]
        return [shown.url?.absoluteString ?? "", shown.httpBody?.text ?? ""]
            + headers.sorted { $0.key < $1.key }.map(\.value)
    }

    @Test(arguments: PlantedSecret.all)
    func showsNoSecret(_ place: Place) throws {
        for text in texts(place) + redacted(place.request) {
            #expect(!text.contains(Self.secret) && !text.contains("hunter"), "\(text)")
        }
        #expect(place.request.curlCommand(redacting: .none).contains("hunter2Lm"))
        // Redacting again changes nothing, so a check of a file is a comparison.
        let shown = Redaction.standard.redacted(place.request)
        #expect(redacted(shown) == redacted(place.request))
        // JSON stays JSON.
        if let body = place.body.map({ Data($0.utf8) }), (try? JSONText.read(body)) != nil {
            _ = try JSONText.read(#require(shown.httpBody))
        }
    }

    /// Tokens are found by their shapes, also in paths and under ordinary names.
    @Test(arguments: [
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
        "ghp_\(digits)", "gho_\(digits)", "github_pat_\(digits)", "sk_live_\(digits)",
        "glpat-\(digits)", "npm_\(digits)", "xoxb-\(digits)", "AKIA1234567890ABCDEF",
        "SG.\(digits).\(digits)", "AIza\(digits.dropLast())",
    ])
    func hidesTokensByTheirShape(_ token: String) {
        for place in [
            Place.url("https://h/p/\(token)/a"), .url("https://h/p?a=\(token)"),
            .header("X-A", "is \(token), or"), .body(#"{"a": ["\#(token)"]}"#),
            .body("a=\(token)&b=1", PlantedSecret.form), .body("<a>\(token)</a>", "text/xml"),
        ] {
            for text in texts(place) + redacted(place.request) {
                #expect(!text.contains(token), "\(text)")
            }
        }
        let failure = Failure(description: "No \(token).")
        #expect(!APIRequestError(stage: .validate, underlying: failure).description.contains(token))
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
            .body("a=1&b=%7B%22a%22%3A1%7D&c=d+e&f", PlantedSecret.form),
            .body("data: {\"a\": 1}\n\ndata: [DONE]\n\n", "text/event-stream"),
            .body(
                "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
                    + "--b\r\nContent-Disposition: form-data; name=\"c\"\r\n\r\n\r\n--b--\r\n",
                PlantedSecret.multipart),
        ] as [Place])
    func keepsTheRest(_ place: Place) {
        let shown = redacted(place.request)

        #expect(shown[0] == place.url)
        #expect(shown[1] == place.body ?? "")
        #expect(Array(shown.dropFirst(2)) == place.headers.sorted { $0.key < $1.key }.map(\.value))
    }

    /// A server neither begins a line of a log, nor sends commands to a terminal, nor reverses text.
    @Test func showsNoControlCharacters() throws {
        let controls = "\u{1B}[2J\u{7F}\u{85}\u{9B}31m\u{2028}\u{2029}\u{202E}\u{2066}\u{7}\r"
        let kept = "\u{1F468}\u{200D}\u{1F469} \u{0645}\u{064E} \u{0915}\u{094D}"
        let text = "a\(controls)b \(kept)"
        let removed = Set(controls.unicodeScalars).subtracting("[2J31m".unicodeScalars)
        let quoted = JSONText.write(text)
        let response = HTTPURLResponse.typed("text/x\u{9B}31m\u{202E}", 400)
        let decoding = DecodingError.keyNotFound(
            PathKey(stringValue: text),
            .init(codingPath: [PathKey(stringValue: text)], debugDescription: text))
        for underlying in [
            UnacceptableStatusError(statusCode: 400), decoding, Failure(description: text),
            URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: text]),
            StreamError.event(ServerSentEvent(event: text, data: text)),
        ] as [any Error] {
            for body in ["{\(quoted): \(quoted)}", "[\(quoted)]"] {
                let error = APIRequestError(
                    stage: .validate, request: .plain("https://h"), response: response,
                    data: Data(body.utf8), underlying: underlying)
                for text in error.texts {
                    let isClean = removed.isDisjoint(with: text.unicodeScalars)
                    #expect(isClean, "\(text.debugDescription)")
                }
                if underlying is Failure { #expect(error.description.contains(kept)) }
            }
        }
    }

    /// With a search of the whole text for each of the values, this would take minutes.
    @Test func hidesManySecrets() throws {
        let tokens = (0..<2_000).map { #"{"token":"tok-\#($0)-abcdefgh"}"# }.joined(separator: ",")
        let error = APIRequestError(
            stage: .validate, request: Place.body("[\(tokens)]").request,
            underlying: Failure(description: "No tok-1-abcdefgh."))

        #expect(!error.description.contains("abcdefgh"))
    }
}
