import APIKitLite
import APIKitLiteTesting
import TestSupport

extension TemporaryFolder {
    /// Writes an archive with these entries, and returns its file.
    func har(_ entries: String...) throws -> URL {
        let list = entries.joined(separator: ",\n")
        return try write(#"{"log": {"version": "1.2", "entries": [\#(list)]}}"#, "users.har")
    }
}

extension HTTPArchive {
    /// Reads a file with these entries.
    static func of(_ entries: String...) throws -> HTTPArchive {
        let folder = try TemporaryFolder()
        return try withExtendedLifetime(folder) {
            try HTTPArchive(contentsOf: folder.har(entries.joined(separator: ",\n")))
        }
    }

    /// An archive with one recorded request for each of these responses.
    static func recorded(_ responses: MockResponse...) async throws -> HTTPArchive {
        var archive = HTTPArchive()
        for response in responses { archive.append(try await .recorded(response)) }
        return archive
    }

    /// Writes this archive to a file, and reads it.
    func rewritten(redacting redaction: Redaction = .standard) throws -> HTTPArchive {
        let folder = try TemporaryFolder()
        return try withExtendedLifetime(folder) {
            let file = folder.url.appending(path: "users.har")
            try write(to: file, redacting: redaction)
            return try HTTPArchive(contentsOf: file)
        }
    }
}

extension MockNetwork {
    /// A network that responds from a file with these entries.
    static func replaying(
        _ entries: String..., then afterLast: Stub.AfterLast = .fail,
        times: Stub.Times = .atLeast(1), clock: MockClock? = nil
    ) throws -> MockNetwork {
        let network = MockNetwork(clock: clock)
        let archive = try HTTPArchive.of(entries.joined(separator: ",\n"))
        network.stub(archive, then: afterLast, times: times)
        return network
    }

    /// A network that responds from an archive.
    static func replaying(_ archive: HTTPArchive) -> MockNetwork {
        let network = MockNetwork()
        network.stub(archive)
        return network
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

/// Returns an entry with a request that has JSON.
func postEntry(_ json: String, _ path: String = "/users/7") -> String {
    let body = #"{"mimeType": "application/json", "text": \#(JSONText.write(json))}"#
    return entry("POST", path, request: #", "postData": \#(body)"#)
}

extension URLRequest {
    /// A request of a path with a query, such as `a?page=1`; a POST if it has a body.
    static func api(
        _ path: String = "a", _ headers: [String: String] = [:], body: String? = nil
    ) -> URLRequest {
        let method = body == nil ? "GET" : "POST"
        var request = URLRequest.url("https://api.example.com/\(path)", method: method)
        request.allHTTPHeaderFields = headers
        request.httpBody = body.map { Data($0.utf8) }
        return request
    }
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
