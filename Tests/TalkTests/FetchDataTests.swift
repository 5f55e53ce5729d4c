import APIKitLiteTesting
import Foundation
import XCTest

// The code under test of the note on network unit tests (Mock을 이용한 Network Unit Test), which
// follows naljin's. `MockURLSession`, `MockURLSessionDataTask` and `JsonLoader` are ours.

enum NetworkError: Error {
    case invalid
    case failToParse
}

struct Coffee: Decodable, Equatable {
    let title: String
}

final class NetworkManager {
    let session: URLSessionProtocol

    init(session: URLSessionProtocol = URLSession.shared) {
        self.session = session
    }
}

protocol URLSessionProtocol {
    // The note returns a `URLSessionDataTask` here, but a `URLSessionDataTaskProtocol` from its mock.
    func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, Error?) -> Void
    ) -> URLSessionDataTaskProtocol
}

protocol URLSessionDataTaskProtocol {
    func resume()
}

extension URLSessionDataTask: URLSessionDataTaskProtocol {}
extension MockURLSessionDataTask: URLSessionDataTaskProtocol {}

extension URLSession: URLSessionProtocol {
    func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, Error?) -> Void
    ) -> URLSessionDataTaskProtocol {
        return dataTask(with: url, completionHandler: completionHandler) as URLSessionDataTask
    }
}

extension MockURLSession: URLSessionProtocol {
    func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, Error?) -> Void
    ) -> URLSessionDataTaskProtocol {
        return dataTask(with: url, completionHandler: completionHandler) as MockURLSessionDataTask
    }
}

extension NetworkManager {
    // The lines are the note's.
    // swift-format-ignore
    func fetchData<T: Decodable>(for url: String,
                                     dataType: T.Type,
                                     completion: @escaping (Result<T, Error>) -> Void) {

        guard let url = URL(string: url) else {
            return
        }

        let dataTask: URLSessionDataTaskProtocol = session.dataTask(with: url, completionHandler: { (data, response, error) in
            if let error = error {
                completion(.failure(error))
                return
            }

            if let data = data,
               let response = response as? HTTPURLResponse,
               200..<400 ~= response.statusCode {
                do {
                    let data = try JSONDecoder().decode(T.self, from: data)
                    completion(.success(data))
                } catch {
                    completion(.failure(NetworkError.failToParse))
                }
            } else {
                completion(.failure(NetworkError.invalid))
            }
        })
        dataTask.resume()
    }
}

extension JsonLoader {
    /// The note's static calls, which read the test's own bundle and give nil for any failure.
    static func data(fileName: String) -> Data? {
        try? JsonLoader(bundle: .module).data(fileName: fileName)
    }

    static func load<T: Decodable>(type: T.Type, fileName: String) -> T? {
        try? JsonLoader(bundle: .module).load(type: type, fileName: fileName)
    }
}

/// The response is there when `resume()` returns, so no test waits.
class FetchDataTests: XCTestCase {
    let url = "https://api.sampleapis.com/coffee/hot"
    let data: Data? = JsonLoader.data(fileName: "Coffees")

    // The lines are the note's.
    // swift-format-ignore
    func test_fetchData_Data가_있고_statusCode가_200일때() {
        // given
        let url = "https://api.sampleapis.com/coffee/hot"
        let mockResponse: MockURLSession.Response = {
            let data: Data? = JsonLoader.data(fileName: "Coffees")
            let successResponse = HTTPURLResponse(url: URL(string: url)!,
                                                  statusCode: 200,
                                                  httpVersion: nil,
                                                  headerFields: nil)
            return (data: data,
                    urlResponse: successResponse,
                    error: nil)
        }()
        let mockURLSession = MockURLSession(response: mockResponse)
        let sut = NetworkManager(session: mockURLSession)

        // when
        var result: [Coffee]?
        sut.fetchData(for: url,
                      dataType: [Coffee].self) { response in
            if case let .success(coffees) = response {
                result = coffees
            }
        }

        // then
        let expectation: [Coffee]? = JsonLoader.load(type: [Coffee].self, fileName: "Coffees")
        XCTAssertEqual(result?.count, expectation?.count)
        XCTAssertEqual(result?.first?.title, expectation?.first?.title)
        // Two missing values would be equal too.
        XCTAssertEqual(result?.map(\.title), ["Black Coffee", "Latte", "Cortado"])
    }

    // The lines are the note's.
    // swift-format-ignore
    func test_fetchData_Data에_대한_잘못된_dataType을_넘겼을때() {
        // given
        let mockURLSession = MockURLSession.make(url: url,
                                                 data: data,
                                                 statusCode: 200)
        let sut = NetworkManager(session: mockURLSession)


        // when
        var result: NetworkError?
        sut.fetchData(for: url,
                      dataType: Coffee.self) { response in
            if case let .failure(error) = response {
                result = error as? NetworkError
            }
        }

        // then
        let expectation: NetworkError = NetworkError.failToParse
        XCTAssertEqual(result, expectation)
    }

    // The lines are the note's.
    // swift-format-ignore
    func test_fetchData_Data가_없고_statusCode가_500일때() {
        // given
        let mockURLSession = MockURLSession.make(url: url,
                                                 data: nil,
                                                 statusCode: 500)
        let sut = NetworkManager(session: mockURLSession)

        // when
        var result: Error?
        sut.fetchData(for: url,
                      dataType: [Coffee].self) { response in
            if case let .failure(error) = response {
                result = error
            }
        }

        // then
        XCTAssertNotNil(result)
    }
}
