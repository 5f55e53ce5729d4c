import TestSupport

@testable import APIKitLite

@Suite(.limited) struct RequestSecretsTests {
    private static let secret = "hun/ter 2+é"

    /// Requests that carry the secret, each in another place.
    private static var requests: [URLRequest] {
        get throws {
            let base = URL(string: "https://h")!
            let items: RequestItems = ["access_token": secret]
            return [
                .plain("https://emma:hun%2Fter%202%2B%C3%A9@h", method: "POST"),
                try URLRequest("GET", base, query: items),
                .plain("https://h#access_token=hun%2Fter%202%2b%C3%A9"),
                try URLRequest("POST", base).formBody(items),
                try URLRequest("POST", base).jsonBody(["a": ["password": [secret]]]),
                try URLRequest("POST", base).multipartBody([.text("password", secret)]),
            ]
        }
    }

    @Test func hidesWhatTheRequestCarriesInTheTextOfAnError() throws {
        let encoded = PercentEncoding.pathValue.encode(Self.secret)
        let texts = [
            Self.secret, "\(Self.secret) is wrong", "see https://x/\(encoded)?a=b",
            "a=\(PercentEncoding.form.encode(Self.secret))",
            #"{"message": "\#(Self.secret) is wrong", "\#(Self.secret)": 1}"#,
        ]
        for request in try Self.requests {
            for text in texts {
                for underlying: any Error in [
                    Refusal(description: text), UnacceptableStatusError(statusCode: 400),
                ] {
                    let error = APIRequestError(
                        stage: .validate, request: request,
                        response: .typed("application/json", 400), data: Data(text.utf8),
                        underlying: underlying)
                    for shown in error.texts {
                        for part in [Self.secret, encoded, "hun%2F", "hun/"] {
                            #expect(!shown.contains(part), "\(shown)")
                        }
                    }
                }
            }
        }
    }

    @Test func hidesTheCredentialOfAHeader() throws {
        let rows: [(String, String, Marked)] = [
            ("Authorization", "Bearer hunter2", "«hunter2» has expired"),
            ("Authorization", "Bearer hunter2", "Bearer realm=\"x\""),
            ("Authorization", "hunter2", "«hunter2» has expired"),
            ("Authorization", "Basic ZW1tYQ==", "got «ZW1tYQ==»"),
            // emma:hunter2; emma:hun:ter2; a key as the user name; with a form-encoded password
            ("Authorization", "Basic ZW1tYTpodW50ZXIy", "emma: «hunter2»"),
            ("Proxy-Authorization", "basic ZW1tYTpodW46dGVyMg==", "emma «hun:ter2»"),
            ("Authorization", "Basic a2V5LWh1bnRlcjI6", "«key-hunter2» and key-"),
            ("Authorization", "Basic ZW1tYTphJTJCYg==", "emma a+b, «a%2Bb»"),
            ("Authorization", "Basic ZW1tYTpodW4lMkZ0ZXIr", "no «hun/ter+»."),
            ("Authorization", "Bearer ZW1tYTpodW50ZXIy", "emma: hunter2"),
            ("Cookie", "sid=s%3Ahun%2Fter", "no «s:hun/ter»"),
            ("X-Token", "hun\"ter\\2", #"in "«hun\"ter\\2»""#),
            ("Cookie", "visitor=hunter2; theme=hunter3", "No visitor «hunter2», «hunter3»"),
        ]
        for (name, value, text) in rows {
            let request = try URLRequest("GET", URL(string: "https://h")!).header(name, value)
            let error = APIRequestError(
                stage: .validate, request: request, underlying: Refusal(description: text.text))

            #expect(error.localizedDescription == text.shown)
        }
    }

    @Test func hidesTheSameSecretInAnotherPlaceOfTheRequest() throws {
        let request = try URLRequest(
            "GET", URL(string: "https://h")!, path: "/sessions/{id}", ["id": "hunter2"],
            query: ["to": "hunter2", "page": 2]
        ).header("Authorization", "Bearer hunter2").header("X-Copy", "hunter2")

        #expect(
            request.curlCommand()
                == "curl 'https://h/sessions/REDACTED?to=REDACTED&page=2' "
                + "-H 'Authorization: REDACTED' -H 'X-Copy: REDACTED'")
        #expect(
            ExchangeEvent(.started, id: 1, request).description
                == "#1 GET https://h/sessions/REDACTED?to=REDACTED&page=2")
        #expect(request.curlCommand(redacting: .none).components(separatedBy: "hunter2").count == 5)
    }

    /// A host, and the words of a path, may contain a secret that consists of words.
    @Test func cutsNoWordOfAURL() throws {
        let rows: [(String, Marked)] = [
            ("test", "https://test.example.com/latest/«test»?a=1"),
            ("example", "https://api.example.com:80/examples"),
            ("s3cr3t-token", "https://s3cr3t-token.h/bot«s3cr3t-token»/a"),
            ("s3cr3t", "https://h/s3cr3ts/«s3cr3t»"), ("p@ss word", "https://h/«p%40ss%20word»"),
        ]
        for (password, url) in rows {
            let request = try URLRequest("POST", #require(URL(string: url.text)))
                .formBody(["password": password])

            #expect(
                request.curlCommand() == "curl -X POST '\(url.shown)' "
                    + "-H 'Content-Type: application/x-www-form-urlencoded' "
                    + "--data-raw 'password=REDACTED'")
            #expect(ExchangeEvent(.started, id: 1, request).description == "#1 POST \(url.shown)")
        }
    }

    /// A short value would be found in too many words, and a number of tokens is a count.
    @Test func leavesShortValuesAndOtherNamesAlone() throws {
        let request = try URLRequest(
            "POST", URL(string: "https://h")!,
            query: ["pin": "123", "token": true, "max_tokens": 4096, "name": "Emma"]
        ).jsonBody(["password": nil as String?])
        let text = "123 true null 4096 Emma"

        let error = APIRequestError(
            stage: .validate, request: request, underlying: Refusal(description: text))
        #expect(error.localizedDescription == text)
    }

    @Test func hidesTheSecretsOfEachRequestOfAChainOfErrors() throws {
        func error(_ token: String, _ underlying: any Error) throws -> APIRequestError {
            APIRequestError(
                stage: .validate,
                request: try URLRequest("GET", URL(string: "https://h")!)
                    .header("Authorization", token),
                underlying: underlying)
        }
        let inner = try error("hunter2", Refusal(description: "hunter2 hunter3"))
        let outer = try error("hunter3", inner)

        #expect(inner.description.contains("REDACTED hunter3"))
        #expect(outer.description.contains("REDACTED REDACTED"))
        #expect(!outer.description.contains("hunter"))
    }
}
