import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct AuthenticationTests {
    private let baseURL = URL(string: "https://api.example.com")!

    @Test func sendsTheCredentialAlong() async throws {
        let server = TokenServer()
        let bearer = server.session.authenticated(by: .bearer("good", for: baseURL))
        let basic = server.session.authenticated(
            by: .basic(user: "Aladdin", password: "open sesame", for: baseURL))

        #expect(try await bearer.exchange(.test("data")).1.statusCode == 200)
        // Without a refresh, the caller gets the 401.
        #expect(try await basic.exchange(.test("data")).1.statusCode == 401)
        #expect(server.given == ["Bearer good", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="])
    }

    @Test(arguments: [false, true])
    func refreshesARejectedOrStaleCredential(_ isStale: Bool) async throws {
        let server = TokenServer()
        // At the very second of its expiry it is stale; the clock stands at 1,000,000,000.
        let tokens = server.tokens(
            Token(access: "old", refresh: "r0", expires: 1_000_000_000 + (isStale ? 0 : 1)))
        let session = server.session.authenticated(by: tokens)

        let (data, response) = try await session.exchange(.test("data"))
        #expect(response.statusCode == 200)
        #expect(data.text == "Bearer new1")
        #expect(tokens.credential == Token(access: "new1", refresh: "r1"))
        #expect(server.given == (isStale ? [] : ["Bearer old"]) + ["Bearer new1"])
        let refresh = try #require(
            server.network.requests.first { $0.request.url?.path == "/token" })
        #expect(refresh.body.text == "grant_type=refresh_token&refresh_token=r0")
        #expect(refresh.request.value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test(arguments: [true, false])
    func sendsTheBodyAgain(_ isFile: Bool) async throws {
        let server = TokenServer()
        let session = server.session.authenticated(by: server.tokens())
        let folder = try TemporaryFolder()
        let request =
            isFile
            ? try URLRequest.test("data", method: "POST").fileBody(folder.write("the body"))
            : .test("data", method: "POST", body: "the body")

        #expect(try await session.exchange(request).1.statusCode == 200)
        let sent = server.network.requests.filter { $0.path == "/data" }
        #expect(sent.map(\.body.text) == ["the body", "the body"])
    }

    @Test(arguments: [Token(access: "old"), .expired], [SendOptions.body, .head()])
    func givesASecondRejectionAsItIs(_ token: Token, _ options: SendOptions) async throws {
        let server = TokenServer(onRefresh: { _ in .json(encoding: Token(access: "useless")) })
        let session = server.session.authenticated(by: server.tokens(token))

        let (body, response) = try await session.send(.test("data"), awaiting: options)
        #expect(response.statusCode == 401)
        #expect(try await body.collect().text == "Bearer useless")
        #expect(server.given == (token == .expired ? [] : ["Bearer old"]) + ["Bearer useless"])
        #expect(server.refreshCount == 1)
    }

    @Test func triesAFreshCredentialOnceThoughItIsStale() async throws {
        let server = TokenServer(
            onRefresh: { _ in .json(encoding: Token(access: "good", expires: 1)) })
        let session = server.session.authenticated(by: server.tokens(.expired))

        #expect(try await session.exchange(.test("data")).1.statusCode == 200)
        #expect(server.refreshCount == 1)
    }

    @Test func tellsTheClosureWhatToReplace() async throws {
        let server = TokenServer(accepting: "3")
        let asked = Locked<[String]>([])
        let tokens = server.tokens(nil) { rejection in
            let status = rejection.response.map { "\($0.statusCode)" } ?? "-"
            let sent = rejection.request?.value(forHTTPHeaderField: "Authorization") ?? "-"
            let count = asked.withLock { asked in
                asked.append("\(rejection.credential?.access ?? "-") \(status) \(sent)")
                return asked.count
            }
            return Token(access: "\(count)", expires: count == 1 ? 0 : 4_000_000_000)
        }
        let session = server.session.authenticated(by: tokens)

        #expect(try await session.exchange(.test("data")).0.text == "Bearer 3")

        // The first one is stale, the second one is rejected.
        #expect(asked.withLock { $0 } == ["- - -", "1 - -", "2 401 Bearer 2"])
        #expect(server.given == ["Bearer 2", "Bearer 3"])
    }

    @Test func decidesByItsOwnTestOfAResponse() async throws {
        let network = MockNetwork()
        network.stub(.any, .json(#"{"code": "token_expired"}"#, status: 403), times: .any)
        network.stub(.any.header("Authorization", "Bearer new"), .text("there"), times: .any)
        let tokens = Credentials("old", for: baseURL) { token, request in
            try request.authorization(bearer: token)
        } isRejected: { data, response in
            response.statusCode == 403 && data.text.contains("token_expired")
        } refresh: { _ in
            "new"
        }

        let session = network.authenticated(by: tokens)
        #expect(await session.outcome(of: .test("data")) == .body("there"))
    }

    // Reading a stream ends it.
    @Test func refreshesForTheNextRequestWhereABodyCannotBeSentAgain() async throws {
        let server = TokenServer()
        let tokens = server.tokens()
        let session = server.session.authenticated(by: tokens)
        var request = URLRequest.test("data", method: "POST")
        request.httpBodyStream = InputStream(data: Data("once".utf8))

        let (_, response) = try await session.exchange(request)
        #expect(response.statusCode == 401)
        await yieldWhile { tokens.credential?.access == "old" }
        #expect(try await session.exchange(.test("data")).1.statusCode == 200)
        #expect(server.given == ["Bearer old", "Bearer new1"])
    }

    @Test func failsWithTheRefreshThatFailed() async throws {
        let server = TokenServer(onRefresh: { number in
            number == 1 ? .json(#"{"error":"invalid_client"}"#, status: 400) : nil
        })
        let tokens = server.tokens()
        let loader = APIRequestLoader(
            apiRequest: TextRequest(), urlSession: server.session.authenticated(by: tokens))

        let error = try await #require(throws: APIRequestError.self) {
            try await loader.load("/data")
        }
        #expect(error.stage == .transport)
        #expect(error.request?.url?.path == "/data")
        #expect(!error.isCancellation)
        #expect(error.description.components(separatedBy: "curl ").count == 2)
        #expect(error.description.contains("curl -X POST 'https://api.example.com/token'"))
        #expect(error.description.contains("GET https://api.example.com/data"))
        #expect(error.description.contains("invalid_client"))
        #expect(error.localizedDescription == "The server answered 400 (Bad Request).")
        #expect((error.underlying as? UnacceptableStatusError)?.statusCode == 400)
        #expect(error.response == nil)
        // The next one tries anew, and the credential was still there for it.
        #expect(try await loader.load("/data") == "Bearer new2")
        #expect(server.refreshCount == 2)
    }

    @Test func failsWhereTheCredentialCannotBeApplied() async throws {
        let server = TokenServer()
        let session = server.session.authenticated(by: .bearer("a\r\nb", for: baseURL))
        await #expect(throws: RequestBuildingError.self) { try await session.exchange(.test("a")) }
        #expect(server.network.requests.isEmpty)
    }

    @Test func sendsWithoutACredentialWhereThereIsNone() async throws {
        let server = TokenServer()
        let tokens = server.tokens(nil)
        let session = server.session.authenticated(by: tokens)

        #expect(try await session.exchange(.test("data")).1.statusCode == 401)
        tokens.credential = Token(access: "good")
        #expect(try await session.exchange(.test("data")).1.statusCode == 200)
        tokens.credential = nil
        #expect(try await session.exchange(.test("data")).1.statusCode == 401)

        #expect(server.given == ["nobody", "Bearer good", "nobody"])
        #expect(server.refreshCount == 0)
    }

    @Test func aStreamGetsItsRejectionAfterSigningOut() async throws {
        let server = TokenServer(holdsRefresh: true)
        let tokens = server.tokens()
        let session = server.session.authenticated(by: tokens)
        let task = Task {
            let (body, response) = try await session.stream(.test("data"))
            var received = Data()
            for try await piece in body { received += piece }
            return (received.text, response.statusCode)
        }
        await server.token.waitForRequests()

        tokens.credential = nil
        server.token.release()
        #expect(try await task.value == ("Bearer old", 401))
        #expect(server.given == ["Bearer old"])
    }
}
