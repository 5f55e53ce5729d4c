// The tests of a client that have a `URLProtocolStub` of their own in most projects. Its file was
// replaced by the one of the page "Move from another library".
import APIKitLiteTesting
import Foundation
import XCTest

private final class FeedClient {
    struct UnexpectedAnswer: Error {}

    private let session: URLSession

    init(session: URLSession = .shared) {
        self.session = session
    }

    func load(
        _ url: URL, completion: @escaping (Result<(Data, HTTPURLResponse), Error>) -> Void
    ) {
        session.dataTask(with: url) { data, response, error in
            if let error {
                completion(.failure(error))
            } else if let data, let response = response as? HTTPURLResponse {
                completion(.success((data, response)))
            } else {
                completion(.failure(UnexpectedAnswer()))
            }
        }.resume()
    }
}

class FeedClientTests: XCTestCase {
    fileprivate var client: FeedClient { FeedClient() }
    private let url = URL(string: "https://feed.example.com/items")!

    override func setUp() {
        super.setUp()
        URLProtocolStub.startInterceptingRequests()
    }

    override func tearDown() {
        URLProtocolStub.stopInterceptingRequests()
        super.tearDown()
    }

    func testSeesOneRequestBeforeItEnds() {
        var requests: [URLRequest] = []
        URLProtocolStub.observeRequests { requests.append($0) }
        let ended = expectation(description: "The load has ended.")

        client.load(url) { _ in ended.fulfill() }

        wait(for: [ended], timeout: 900)
        XCTAssertEqual(requests.map(\.url), [url])
    }

    func testFailsForEachCombinationThatIsNoAnswer() {
        let data = Data("any".utf8)
        let failure = NSError(domain: "any", code: 1)
        let plain = URLResponse(
            url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        let http = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        let combinations: [(Data?, URLResponse?, NSError?)] = [
            (nil, nil, nil), (nil, plain, nil), (data, nil, nil), (data, plain, nil),
            (nil, nil, failure), (data, nil, failure), (nil, plain, failure), (nil, http, failure),
            (data, plain, failure), (data, http, failure),
        ]
        for (data, response, failure) in combinations {
            let error = error(data: data, response: response, error: failure)
            XCTAssertNotNil(error)
            if let failure { XCTAssertEqual((error as NSError?)?.domain, failure.domain) }
        }
    }

    func testSucceedsWithDataAndWithoutData() {
        let response = HTTPURLResponse(
            url: url, statusCode: 201, httpVersion: nil, headerFields: nil)
        for data in [Data("any".utf8), nil] {
            let value = try? result(data: data, response: response, error: nil).get()

            XCTAssertEqual(value?.0, data ?? Data())
            XCTAssertEqual(value?.1.statusCode, 201)
            XCTAssertEqual(value?.1.url, url)
        }
    }

    private func result(
        data: Data?, response: URLResponse?, error: Error?
    ) -> Result<(Data, HTTPURLResponse), Error> {
        URLProtocolStub.stub(data: data, response: response, error: error)
        let ended = expectation(description: "The load has ended.")
        var received: Result<(Data, HTTPURLResponse), Error>!
        client.load(url) {
            received = $0
            ended.fulfill()
        }
        wait(for: [ended], timeout: 900)
        return received
    }

    private func error(data: Data?, response: URLResponse?, error: Error?) -> Error? {
        if case .failure(let error) = result(data: data, response: response, error: error) {
            return error
        }
        return nil
    }

}

/// The same tests with a session whose `protocolClasses` has the stub, and with `removeStub()`.
final class ConfiguredFeedClientTests: FeedClientTests {
    fileprivate override var client: FeedClient {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [URLProtocolStub.self]
        return FeedClient(session: URLSession(configuration: configuration))
    }

    override func setUp() {}

    override func tearDown() {
        URLProtocolStub.removeStub()
    }
}
