import APIKitLite
import APIKitLiteTesting
import Foundation

/// Loads a path of one host as text.
struct TextRequest: APIRequest {
    var baseURL = URL(string: "https://api.example.com")!
    var method = "GET"

    func makeRequest(from path: String) throws -> URLRequest {
        try URLRequest(method, baseURL, path: path)
    }

    func parseResponse(data: Data) throws -> String {
        String(decoding: data, as: UTF8.self)
    }
}

struct TestError: Error, Equatable {
    var number = 0
}

/// Opens once; whoever waits goes on.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func open() {
        continuation.finish()
    }

    func wait() async {
        for await _ in stream {}
    }
}

/// Collects what callbacks say, from any thread, and hands it out when there is enough.
final class Recorder<Event: Sendable>: Sendable {
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func append(_ event: Event) {
        continuation.yield(event)
    }

    /// The events up to the first that is the last.
    func events(until isLast: (Event) -> Bool) async -> [Event] {
        var events: [Event] = []
        for await event in stream {
            events.append(event)
            if isLast(event) { break }
        }
        return events
    }
}

/// What a handler does that never answers: it ends when its task is cancelled.
func waitForCancellation() async throws -> MockResponse {
    for await _ in AsyncStream<Never>.makeStream().stream {}
    throw CancellationError()
}

extension URLRequest {
    static func test(_ path: String, method: String = "GET", body: String? = nil) -> URLRequest {
        var request = URLRequest(url: URL(string: "https://api.example.com")!.appending(path: path))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        return request
    }
}

extension Data {
    var text: String { String(decoding: self, as: UTF8.self) }
}

/// The ways into one network.
enum Carrier: String, CaseIterable, Sendable {
    case urlProtocol
    case mockURLSession
    case loopback

    /// A session on this network, and the base URL that it answers under.
    func open(_ network: MockNetwork) throws -> (session: any HTTPSession, baseURL: URL) {
        let baseURL = URL(string: "https://api.example.com")!
        switch self {
        case .urlProtocol: return (network.urlSession, baseURL)
        case .mockURLSession: return (MockURLSession(network), baseURL)
        case .loopback:
            return (URLSession(configuration: .withoutProxy), try network.serve().url)
        }
    }
}

extension URLSessionConfiguration {
    /// Reaches this machine also where the environment names a proxy.
    static var withoutProxy: URLSessionConfiguration {
        _ = noProxy
        return .ephemeral
    }

    // Once, and only where it is needed: changing the environment while another test starts a
    // process, which copies it, can end this one.
    private static let noProxy: Void = {
        let names = ProcessInfo.processInfo.environment.keys.map { $0.lowercased() }
        if names.contains(where: { $0.hasSuffix("_proxy") }) {
            setenv("no_proxy", "127.0.0.1,localhost", 1)
        }
    }()
}
