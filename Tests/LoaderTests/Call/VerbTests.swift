import APIKitLite
import APIKitLiteTesting
import TestSupport

/// Each verb takes a request type or a `URLRequest`, with the same outcome and the same errors.
@Suite(.limited, .usesSockets) struct VerbTests {
    private let folder = try! TemporaryFolder()

    struct Item: Codable, Equatable, Sendable { var id: Int }

    struct ItemRequest: StreamedAPIRequest {
        var baseURL: URL

        func makeRequest(from path: String) throws -> URLRequest {
            try URLRequest("GET", baseURL, path: path)
        }

        func makeParser(for _: HTTPURLResponse) -> some StreamParser<Item> & Sendable {
            JSONLines(Item.self)
        }
    }

    enum Verb: CaseIterable { case load, loadParsed, response, responseParsed, stream, download }

    private let network = MockNetwork()
    private let redaction = Redaction.standard.adding("id")

    init() {
        network.stub(.get("/items"), .json(#"{"id": 1}"#), times: .any)
        network.stub(.get("/refused"), .json(#"{"id": 2}"#, status: 410), times: .any)
        network.stub(.get("/wrong"), .json(#"{"ID": 3}"#), times: .any)
        network.stub(.get("/lost"), .error(.networkConnectionLost), times: .any)
    }

    /// The item that the verb returns for a `URLRequest`.
    private func item(
        _ verb: Verb, _ session: any HTTPSession, _ request: URLRequest,
        validate: @escaping @Sendable (Data, HTTPURLResponse) throws -> Void = {
            try $1.validateStatus()
        }
    ) async throws(APIRequestError) -> Item? {
        let parse: @Sendable (Data, HTTPURLResponse) throws -> Item = { data, _ in
            try JSONDecoder().decode(Item.self, from: data)
        }
        switch verb {
        case .load:
            return try await session.load(
                request, as: Item.self, name: "items", redaction: redaction, validate: validate)
        case .loadParsed:
            return try await session.load(
                request, name: "items", redaction: redaction, validate: validate, parse: parse)
        case .response:
            let response = try await session.response(
                request, as: Item.self, name: "items", redaction: redaction, validate: validate)
            return response.response.statusCode == 200 ? response.value : nil
        case .responseParsed:
            let response = try await session.response(
                request, name: "items", redaction: redaction, validate: validate, parse: parse)
            return response.data.isEmpty ? nil : response.value
        case .stream:
            let stream = session.stream(
                request, JSONLines(Item.self), name: "items", redaction: redaction,
                validate: validate)
            return try await onlyElement(of: stream)
        case .download:
            try await session.download(
                request, to: folder.file, name: "items", redaction: redaction, validate: validate)
            return downloaded
        }
    }

    private var downloaded: Item? {
        folder.content.flatMap { try? JSONDecoder().decode(Item.self, from: $0) }
    }

    private func onlyElement<S: AsyncSequence>(
        of stream: S
    ) async throws(APIRequestError) -> Item? where S.Element == Item {
        let (items, error) = await stream.outcome()
        if let error { throw error }
        return only(items)
    }

    private func only(_ items: [Item]) -> Item? { items.count == 1 ? items[0] : nil }

    /// The item that the verb returns for a request type.
    private func item(
        _ verb: Verb, _ client: TestClient, _ path: String
    ) async throws(APIRequestError) -> Item? {
        let (session, request) = (client.session, ItemRequest(baseURL: client.baseURL))
        switch verb {
        case .load, .loadParsed: return only(try await session.load(request, path))
        case .response, .responseParsed:
            return only(try await session.response(request, for: path).value)
        case .stream: return try await onlyElement(of: session.stream(request, path))
        case .download:
            try await session.download(request, path, to: folder.file)
            return downloaded
        }
    }

    @Test(arguments: Transport.allCases, Verb.allCases)
    func returnsTheSame(_ transport: Transport, _ verb: Verb) async throws {
        let client = try TestClient(transport, network)
        #expect(try await item(verb, client.session, client.request("items")) == Item(id: 1))
        #expect(try await item(verb, client, "/items") == Item(id: 1))
    }

    @Test(arguments: Transport.allCases, Verb.allCases)
    func failsInTheSameStage(_ transport: Transport, _ verb: Verb) async throws {
        let client = try TestClient(transport, network)
        var stages: [(String, APIRequestError.Stage)] = [
            ("/refused", .validate), ("/lost", .transport),
        ]
        // A download parses nothing.
        if verb != .download { stages.append(("/wrong", .parse)) }

        for (path, stage) in stages {
            let request = client.request(path)
            let ours = await #expect(throws: APIRequestError.self) {
                try await item(verb, client.session, request)
            }
            let typed = await #expect(throws: APIRequestError.self) {
                try await item(verb, client, path)
            }
            #expect(ours?.stage == stage)
            #expect(typed?.stage == stage)
            #expect(ours?.statusCode == (stage == .transport ? nil : typed?.statusCode))
            #expect((ours?.data == nil) == (stage == .transport))
            #expect(ours?.requestType == "items")
            #expect(typed?.requestType == "ItemRequest")
            #expect(ours?.request?.url == request.url)
            if stage == .validate {
                #expect(ours?.description.contains(#""id": 0"#) == true, "\(ours!)")
            }
        }
    }

    @Test(arguments: Transport.allCases, Verb.allCases)
    func validatesWithTheClosure(_ transport: Transport, _ verb: Verb) async throws {
        let client = try TestClient(transport, network)

        let error = await #expect(throws: APIRequestError.self) {
            try await item(verb, client.session, client.request("items")) { _, _ in
                throw TestError(number: 1)
            }
        }

        #expect(error?.stage == .validate)
        #expect(error?.underlying as? TestError == TestError(number: 1))
        #expect(error?.data?.text == #"{"id": 1}"#)
    }

    /// A trailing closure is `progress`, and next to `progress`, it is `validate`.
    @Test func hasTheSameTrailingClosureInEachVerb() async throws {
        let (request, file) = (URLRequest.test("items"), folder.file)
        let (session, progress) = (network, { @Sendable (_: Int64, _: Int64?) in })
        let parse: @Sendable (Data, HTTPURLResponse) throws -> Int = { data, _ in data.count }
        let verbs: [@Sendable () async throws -> Void] = [
            {
                _ = try await session.load(request, as: Item.self, progress: progress) { _, _ in
                    throw TestError(number: 1)
                }
            },
            {
                _ = try await session.response(request, as: Item.self, progress: progress) { _, _ in
                    throw TestError(number: 1)
                }
            },
            {
                try await session.download(request, to: file, progress: progress) { data, _ in
                    throw TestError(number: data.isEmpty ? 0 : 1)
                }
            },
        ]
        for verb in verbs {
            let error = await #expect(throws: APIRequestError.self) { try await verb() }
            #expect(error?.underlying as? TestError == TestError(number: 1))
        }

        let counts = Locked<[Int64]>([])
        _ = try await session.download(request, to: file) { bytes, _ in
            counts.withLock { $0.append(bytes) }
        }
        let put = try URLRequest("PUT", .api, path: "/items").jsonBody([1])
        network.stub(.put("/items"), .json(#"{"id": 1}"#))
        _ = try await session.load(put, as: Item.self) { bytes, _ in
            counts.withLock { $0.append(bytes) }
        }
        #expect(counts.withLock { $0 } == [0, 9, 3])
        #expect(try await session.load(request, progress: progress, parse: parse) == 9)
        #expect(try await session.load(request) { data, _ in data.count } == 9)
    }

    @Test(arguments: Transport.allCases)
    func hasTheWordsOfURLSession(_ transport: Transport) async throws {
        let client = try TestClient(transport, network)
        let session = client.session
        network.stub(.put("/items").body(Data("1".utf8)), .text("stored"))
        let put = client.request("items", method: "PUT", headers: ["X-A": "1"])

        let url = client.baseURL.appending(path: "items")
        #expect(try await session.data(from: url).0.text == #"{"id": 1}"#)
        #expect(try await session.data(for: client.request("refused")).1.statusCode == 410)
        #expect(try await session.upload(for: put, from: Data("1".utf8)).0.text == "stored")
        #expect(network.requests.last?.header("X-A") == "1")
    }

    /// Foundation's functions are the ones of a `URLSession` itself: no call is ambiguous.
    @Test func foundationsFunctionsStayThoseOfAURLSession() async throws {
        let session = network.urlSession
        let url = URL.api.appending(path: "items")

        let (data, response): (Data, URLResponse) = try await session.data(for: .test("items"))
        #expect(try await session.data(from: url).0 == data)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }
}

@Suite(.limited) struct SessionLoadTests {
    struct Ping: APIRequest {
        typealias ResponseDataType = String
        func makeRequest(from data: Void) throws -> URLRequest { .test("ping") }
        func parseResponse(data: Data) throws -> String { data.text }
    }

    private let network = MockNetwork()
    private var session: any HTTPSession { network }

    @Test func loadsAValueWithAndWithoutInput() async throws {
        network.stub(.get("/a"), .text("value"))
        network.stub(.get("/ping"), .text("pong"))

        #expect(try await session.load(TextRequest(), "/a") == "value")
        #expect(try await network.load(TextRequest(), "/a") == "value")
        #expect(try await session.response(TextRequest(), for: "/a").value == "value")
        #expect(try await session.load(Ping()) == "pong")
        #expect(try await session.response(Ping()).data.text == "pong")
    }

    @Test func loadsInAGenericFunction() async throws {
        func load<R: APIRequest>(
            _ request: R, _ input: R.RequestDataType
        ) async throws -> (R.ResponseDataType, R.ResponseDataType) {
            let value = try await session.load(request, input)
            return (value, try await session.response(request, for: input).value)
        }
        func loadWithoutInput<R: APIRequest>(
            _ request: R
        ) async throws -> (R.ResponseDataType, R.ResponseDataType)
        where R.RequestDataType == Void {
            (try await session.load(request), try await session.response(request, for: ()).value)
        }
        network.stub(.any, .text("value"))

        #expect(try await load(TextRequest(), "/a") == ("value", "value"))
        #expect(try await loadWithoutInput(Ping()) == ("value", "value"))
    }

    @Test func loadsAPlainRequest() async throws {
        network.stub(.get("/numbers"), .json(#"{"first_number": 1}"#))
        network.stub(.get("/missing"), .json(#"{"first_number": 2}"#, status: 404))
        network.stub(.get("/empty"), .status(204))
        struct Numbers: Decodable { var firstNumber: Int }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase

        let numbers = try await session.load(.test("numbers"), as: Numbers.self, decoder: decoder)
        #expect(numbers.firstNumber == 1)
        let missing = try await session.load(
            .test("missing"), as: Numbers.self, decoder: decoder,
            validate: { try $1.validateStatus(404) })
        #expect(missing.firstNumber == 2)
        #expect(try await session.load(.test("empty"), as: Numbers?.self) == nil)
    }
}
