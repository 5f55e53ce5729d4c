import APIKitLite

/// A secret in a request: in the URL, a header or the body. The same headers and body may be an
/// response's.
package struct PlantedSecret: Sendable {
    package static let secret = "zQ8hunter2Lm"

    package var url: String
    package var headers: [String: String] = [:]
    package var body: String?

    package static func url(_ url: String) -> PlantedSecret { PlantedSecret(url: url) }

    package static func header(_ name: String, _ value: String) -> PlantedSecret {
        PlantedSecret(url: "https://h/p", headers: [name: value])
    }

    package static func body(_ body: String, _ type: String = "application/json") -> PlantedSecret {
        PlantedSecret(url: "https://h/p", headers: ["Content-Type": type], body: body)
    }

    package var request: URLRequest {
        .plain(url, method: "POST", headers: headers, body: body.map { Data($0.utf8) })
    }

    package mutating func replaceSecret(by other: String) {
        url = url.replacing(Self.secret, with: other)
        headers = headers.mapValues { $0.replacing(Self.secret, with: other) }
        body = body?.replacing(Self.secret, with: other)
    }

    package static let form = "application/x-www-form-urlencoded"
    package static let multipart = "multipart/form-data; boundary=b"

    /// Places at which the name tells that the value is a secret.
    package static let all: [PlantedSecret] = [
        // URLs
        .url("https://emma:zQ8hunter2Lm@h/p"), .url("https://zQ8hunter2Lm@h/p"),
        .url("https://h/p?access_token=zQ8hunter2Lm"), .url("https://h/p?a=1&amp;key=zQ8hunter2Lm"),
        .url("https://h/p?a=1;token=zQ8hunter2Lm"), .url("https://h/p?token=x;zQ8hunter2Lm&a=1"),
        .url("https://h/p?%74oken=zQ8hunter2Lm"),
        .url("https://h/p?user%5Bpassword%5D=zQ8hunter2Lm"),
        .url("https://h/p#access_token=zQ8hunter2Lm&x=1"),
        .url("https://h/p#/callback?code=zQ8hunter2Lm"),
        .url("https://h/a;jsessionid=zQ8hunter2Lm"), .url("https://h/a;v=1;token=zQ8hunter2Lm/b"),
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
        .header("Authorization", "Bearer zQ8hunter2Lm"), .header("Authorization", "zQ8hunter2Lm"),
        .header("X-Api-Key", "zQ8hunter2Lm"), .header("X-Auth", "zQ8hunter2Lm"),
        .header("Cookie", "sid=zQ8hunter2Lm; theme=dark"), .header("Cookie", "zQ8hunter2Lm"),
        .header("Cookie", "theme=dark; zQ8hunter2Lm"), .header("Cookie", "sid=\"zQ8hunter2Lm\""),
        .header("Set-Cookie", "sid=zQ8hunter2Lm; Path=/"),
        .header("Set-Cookie", "zQ8hunter2Lm; Path=/"),
        .header("Set-Cookie", "a=b; Expires=Wed, 09 Jun 2027 10:18:14 GMT, sid=zQ8hunter2Lm"),
        .header("Referer", "https://x/?access_token=zQ8hunter2Lm"),
        .header("Link", "<https://x/?page=2&token=zQ8hunter2Lm>; rel=\"next\""),
        .header("Refresh", "0; url=https://x/?token=zQ8hunter2Lm"),
        .header("X-Meta", #"{"token": "zQ8hunter2Lm"}"#),
        PlantedSecret(
            url: "https://h/p",
            headers: ["X-Copy": "zQ8hunter2Lm", "Authorization": "Bearer zQ8hunter2Lm"]),
        // JSON
        .body(#"{"password": "zQ8hunter2Lm"}"#),
        .body(#"{"a": [{"client_secret": ["zQ8hunter2Lm"]}]}"#),
        .body(#"{"credentials": {"user": "emma", "deep": {"x": "zQ8hunter2Lm"}}}"#),
        .body(#"{"\u0074oken": "zQ8hunter2Lm"}"#), .body(#"{"token": "\u007aQ8hunter2Lm"}"#),
        .body(#"{"token": "zQ8hunter2Lm", "token": "zQ8hunter2Lm"}"#),
        .body(#"{"token": "zQ8hunter2Lm", "token": null}"#),
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
        // What is not JSON, because of a word without quotation marks or an invalid escape.
        .body(#"{"token": zQ8hunter2Lm, "a": NaN}"#),
        .body(#"{"j": "{\"token\": \"zQ8hunter2Lm\"} \ud800"}"#),
        .body("data: https://x/?token=zQ8hunter2Lm\n\n", "text/event-stream"),
        .body("data:token=zQ8hunter2Lm\n\n", "text/event-stream"),
        // Forms
        PlantedSecret(url: "https://h/p", body: "a=1&password=zQ8hunter2Lm"),
        .body("a=1&password=zQ8hunter2Lm", form), .body("a=1;password=zQ8hunter2Lm", form),
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
        .body(
            "--b\r\nContent-Type: application/json\r\n\r\n{\"token\":\"zQ8hunter2Lm\"}\r\n--b--\r\n",
            "multipart/mixed; boundary=b"),
        // Requests of usual protocols; SecretNameTests has more names.
        .header("Authorization", "OAuth oauth_token=\"zQ8hunter2Lm\", oauth_version=\"1.0\""),
        .header("Authorization", "AWS4-HMAC-SHA256 Credential=a/b, Signature=zQ8hunter2Lm"),
        .header("Location", "https://x/callback#access_token=zQ8hunter2Lm"),
        .body("client_id=a&client_secret=zQ8hunter2Lm", form + "; charset=utf-8"),
        .body(#"{"data": {"items": [{"auth": {"apiKey": "zQ8hunter2Lm"}}]}}"#),
        .body(
            "data: {\"delta\": 1}\n\ndata: {\"session_token\": \"zQ8hunter2Lm\"}\n\n",
            "text/event-stream"),
        .body("{\"a\": 1}\n{\"api_key\": \"zQ8hunter2Lm\"}\n", "application/x-ndjson"),
    ]
}
