import APIKitLite
import APIKitLiteTesting
import TestSupport

@Suite(.limited, .usesSockets) struct FaultsTests {
    struct Title: Decodable {
        var title: String
    }

    // A class, as many have it, with nothing said about concurrency.
    final class TitleRequest: APIRequest {
        typealias ResponseDataType = Title

        func makeRequest(from id: Int) throws -> URLRequest {
            try URLRequest(
                "GET", URL(string: "https://books.example.com")!, path: "/titles/{id}", ["id": id])
        }
    }

    let sample = MockResponse.json(#"{"title": "Emma"}"#)

    @Test func survivesEveryFault() async throws {
        let report = try await forEachFault(in: sample) { network in
            let loader = APIRequestLoader(
                apiRequest: TitleRequest(), urlSession: network.urlSession)
            _ = try await loader.load(1)
        }

        #expect(report[.status(404)] == .error(.validate))
    }
}
