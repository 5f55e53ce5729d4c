import APIKitLite
import Foundation

/// The mock of the talk, as it is copied: ten lines and a static closure.
final class TalkURLProtocol: URLProtocol {
    nonisolated(unsafe) static var requestHandler:  // Set once, before the first request.
        ((URLRequest) throws -> (HTTPURLResponse, Data))?

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        do {
            let (response, data) = try Self.requestHandler!(request)
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: data)
            client?.urlProtocolDidFinishLoading(self)
        } catch {
            client?.urlProtocol(self, didFailWithError: error)
        }
    }
}

struct Place: Decodable, Sendable {
    let name: String
    let latitude: Double
    let longitude: Double
}

struct PlacesRequest: APIRequest {
    typealias ResponseDataType = [Place]

    func makeRequest(from term: String) throws -> URLRequest {
        URLRequest(url: URL(string: "https://example.com/places?q=\(term)")!)
    }
}

enum Fixture {
    static let json = Data(
        ("["
            + (0..<20).map {
                #"{"name": "Place number \#($0)", "latitude": 37.3293, "longitude": -121.8893}"#
            }.joined(separator: ",") + "]").utf8)
    static let item = URLRequest(url: URL(string: "https://example.com/items/0?q=x")!)
    static let request = URLRequest(url: URL(string: "https://example.com/places?q=x")!)

    static func response(to request: URLRequest) -> HTTPURLResponse {
        HTTPURLResponse(
            url: request.url!, statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: ["Content-Type": "application/json"])!
    }
}

/// A data task as one writes it without a library.
func bareLoad(_ session: URLSession, _ request: URLRequest) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
        session.dataTask(with: request) { data, _, error in
            if let data {
                continuation.resume(returning: data)
            } else {
                continuation.resume(throwing: error ?? URLError(.unknown))
            }
        }
        .resume()
    }
}
