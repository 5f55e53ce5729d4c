import APIKitLite
import APIKitLiteTesting
import Foundation
import Testing

/// The samples of Testing.md that match requests.
extension TestingSamples {
    @Test func chainsCriteria() async throws {
        let network = MockNetwork()
        network.stub(
            .post("/users/{id}/orders").query(["page": "2", "archived": nil])
                .header("Accept", "application/json")
                .json(containing: #"{"items": [{"name": "tea"}]}"#)
                .not(.host("staging.example.com"))
                .where("an even id") { Int($0.pathValues["id"] ?? "")?.isMultiple(of: 2) == true },
            .status(201))
        let request = try URLRequest(
            "POST", UserRequest().baseURL, path: "/users/42/orders",
            query: ["archived": QueryFlag(), "page": 2], headers: ["Accept": "application/json"]
        ).jsonBody(["items": [["name": "milk"], ["name": "tea", "size": "L"]]])

        let (_, response) = try await network.urlSession.exchange(request)

        #expect(response.statusCode == 201)
    }

    @Test func takesARequestForAMatcher() async throws {
        let network = MockNetwork()
        network.stub(.request(try UserRequest().makeRequest(from: 42)), .json(#"{"name": "Emma"}"#))
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        #expect(try await loader.load(42).name == "Emma")
        await #expect(throws: APIRequestError.self) { try await loader.load(43) }
    }

    @Test func comparesAWholeRequest() throws {
        #expect(
            try NewUserRequest().makeRequest(from: User(name: "Emma")).httpMessage == """
                POST /users HTTP/1.1
                Host: api.example.com
                Content-Type: application/json

                {
                  "name": "Emma"
                }
                """)
    }
}
