import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport

extension TemporaryFolder {
    /// Writes an archive with these entries, and reads it.
    func archive(_ entries: String..., named name: String = "users.har") throws -> HTTPArchive {
        let list = entries.joined(separator: ",\n")
        let file = try write(#"{"log": {"version": "1.2", "entries": [\#(list)]}}"#, name)
        return try HTTPArchive(contentsOf: file)
    }
}

/// Returns an entry of an archive.
func entry(
    _ method: String = "GET", _ path: String = "/users/7", request: String = "",
    status: Int = 200, headers: String = "", text: String = #"{"name":"Emma"}"#,
    response: String = "", entry: String = ""
) -> String {
    let body = JSONText.write(text)
    return """
        {"startedDateTime": "2026-11-22T10:00:00.250Z", "time": 45\(entry),
         "request": {"method": "\(method)", "url": "https://api.example.com\(path)", "headers": []
            \(request)},
         "response": {"status": \(status), "headers": [\(headers)],
            "content": {"text": \(body)}\(response)}}
        """
}

extension HTTPArchive.Exchange {
    /// An exchange that a test makes: one that a network with this response recorded.
    static func recorded(
        _ response: MockResponse, to request: URLRequest = .test("users/7")
    ) async throws -> HTTPArchive.Exchange {
        let network = MockNetwork()
        network.stub(.any, response)
        _ = try? await network.exchange(request)
        return HTTPArchive(network.requests)[0]
    }
}
