import APIKitLiteTesting
import Foundation

// The app of the article on testing network logic (네트워크 로직 테스트 하기). The article shows its
// session protocol and its test; the rest is the smallest that makes them meaningful.

typealias DataTaskCompletionHandler = @Sendable (Data?, URLResponse?, Error?) -> Void

enum Market {
    protocol URLSessionProtocol {
        // The article returns a `URLSessionDataTask`, which no mock can make any more.
        func dataTask(
            with url: URL, completionHandler: @escaping DataTaskCompletionHandler
        ) -> DataTask
    }

    protocol DataTask {
        func resume()
    }

    struct ProductList: Decodable {
        let pageNo: Int
        let itemsPerPage: Int
        let totalCount: Int

        enum CodingKeys: String, CodingKey {
            case pageNo = "page_no"
            case itemsPerPage = "items_per_page"
            case totalCount = "total_count"
        }
    }

    struct DummyData {
        let data: Data? = Data(#"{"page_no": 1, "items_per_page": 20, "total_count": 10}"#.utf8)
    }

    enum NetworkError: Error, Equatable {
        case invalidRequest
        case transport
        case status(Int)
        case failToParse
    }

    struct RequestProductList {
        let queryParameters: [String: String]

        func makeURLRequest() -> URLRequest? {
            var components = URLComponents(string: "https://market.example.com/api/products")
            components?.queryItems = queryParameters.sorted { $0.key < $1.key }.map {
                URLQueryItem(name: $0.key, value: $0.value)
            }
            return components?.url.map { URLRequest(url: $0) }
        }
    }

    final class NetworkManager {
        let session: URLSessionProtocol

        init(session: URLSessionProtocol) {
            self.session = session
        }

        func request<T: Decodable>(
            api: RequestProductList, completion: @escaping (Result<T, NetworkError>) -> Void
        ) {
            guard let url = api.makeURLRequest()?.url else {
                return completion(.failure(.invalidRequest))
            }
            session.dataTask(with: url) { data, response, error in
                guard let response = response as? HTTPURLResponse, error == nil else {
                    return completion(.failure(.transport))
                }
                guard 200..<300 ~= response.statusCode, let data else {
                    return completion(.failure(.status(response.statusCode)))
                }
                guard let value = try? JSONDecoder().decode(T.self, from: data) else {
                    return completion(.failure(.failToParse))
                }
                completion(.success(value))
            }.resume()
        }
    }
}

extension URLSessionDataTask: Market.DataTask {}
extension MockURLSessionDataTask: Market.DataTask {}

extension URLSession: Market.URLSessionProtocol {
    func dataTask(
        with url: URL, completionHandler: @escaping DataTaskCompletionHandler
    ) -> Market.DataTask {
        dataTask(with: url, completionHandler: completionHandler) as URLSessionDataTask
    }
}

extension MockURLSession: Market.URLSessionProtocol {
    func dataTask(
        with url: URL, completionHandler: @escaping DataTaskCompletionHandler
    ) -> Market.DataTask {
        dataTask(with: url, completionHandler: completionHandler) as MockURLSessionDataTask
    }
}
