import APIKitLite
import APIKitLiteTesting
import Foundation
import Testing

struct UserRequest: APIRequest {
    typealias ResponseDataType = [String: String]
    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest("GET", URL(string: "https://api.example.com")!, path: "/users/{id}", ["id": id])
    }
}

@Suite struct SmokeTests {
    @Test func loads() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)
        let user = try await loader.load(42)
        #expect(user == ["name": "Emma"])
        #expect(network.requests.map(\.request.url?.path) == ["/users/42"])
        try network.verify()
    }
    @Test func closure() async throws {
        let network = MockNetwork { request in (HTTPURLResponse(), Data(#"{"p": "\#(request.url!.path)"}"#.utf8)) }
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)
        for i in 0..<1000 {
            let user = try await loader.load(i)
            #expect(user == ["p": "/users/\(i)"])
        }
        let viaMock = APIRequestLoader(apiRequest: UserRequest(), urlSession: MockURLSession(network))
        #expect(try await viaMock.load(3) == ["p": "/users/3"])
    }
    @Test func cancels() async throws {
        let network = MockNetwork()
        network.stub(.any, .hanging)
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)
        let task = Task { try await loader.load(1) }
        while network.requests.isEmpty { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: APIRequestError.self) { try await task.value }
        #expect(error?.isCancellation == true)
        #expect(error?.stage == .transport)
        #expect(network.requests[0].wasCancelled)
    }
    @Test func unmatched() async throws {
        let network = MockNetwork()
        network.stub(.get("/user/{id}"), .hanging)
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)
        let error = await #expect(throws: APIRequestError.self) { try await loader.load(1) }
        print(error!)
        do { try network.verify() } catch { print(error) }
    }
    @Test func redirectsAndCookies() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/1"), .redirect(to: "/users/2").header("Set-Cookie", "a=b; Path=/"))
        network.stub(.get("/users/2"), .json(#"{"name": "Emma"}"#))
        network.stub(.get("/users/3"), .status(401).header("WWW-Authenticate", "Basic realm=\"x\""))
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)
        #expect(try await loader.load(1) == ["name": "Emma"])
        #expect(network.requests.last?.request.value(forHTTPHeaderField: "Cookie") == "a=b")
        let error = await #expect(throws: APIRequestError.self) { try await loader.load(3) }
        #expect(error?.statusCode == 401)
        #expect(error?.response?.url?.path == "/users/3")
        let (data, response) = try await network.urlSession.data(from: URL(string: "https://api.example.com/users/1")!)
        #expect(data.count > 3 && response.url?.path == "/users/2")
    }
}
@Suite struct ServeSmoke {
    @Test func serves() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/1"), .redirect(to: "/users/2").header("Set-Cookie", "a=b; Path=/"))
        network.stub(.get("/users/2"), .json(#"{"name": "Emma"}"#))
        network.stub(.get("/users/3"), .status(401).header("WWW-Authenticate", "Basic realm=\"x\""))
        let server = try network.serve()
        let session = URLSession(configuration: .ephemeral)
        let (data, r) = try await session.exchange(URLRequest(url: server.url.appendingPathComponent("users/1")))
        #expect(String(decoding: data, as: UTF8.self) == #"{"name": "Emma"}"#)
        #expect(r.url?.path == "/users/2")
        #expect(network.requests.last?.request.value(forHTTPHeaderField: "Cookie") == "a=b")
        let (_, r3) = try await session.exchange(URLRequest(url: server.url.appendingPathComponent("users/3")))
        #expect(r3.statusCode == 401)
        let (d4, r4) = try await session.exchange(URLRequest(url: server.url.appendingPathComponent("users/4")))
        #expect(r4.statusCode == 501)
        print(String(decoding: d4, as: UTF8.self))
    }
}
