import APIKitLiteTesting
import Foundation
import XCTest

// The article on testing network logic (네트워크 로직 테스트 하기). It shows its test; the app is the
// smallest that fits it, with the `NetworkManager` of the note on network unit tests.

private struct ProductList: Decodable {
    let pageNo: Int
    let itemsPerPage: Int
    let totalCount: Int
}

private struct DummyData {
    let data: Data? = Data(#"{"pageNo": 1, "itemsPerPage": 20, "totalCount": 10}"#.utf8)
}

private struct RequestProductList {
    let queryParameters: [String: String]

    func makeURLRequest() -> URLRequest? {
        var components = URLComponents(string: "https://market.example.com/api/products")
        components?.queryItems = queryParameters.map { URLQueryItem(name: $0, value: $1) }
        return components?.url.map { URLRequest(url: $0) }
    }
}

extension NetworkManager {
    fileprivate func request<T: Decodable>(
        api: RequestProductList, completion: @escaping (Result<T, NetworkError>) -> Void
    ) {
        fetchData(for: api.makeURLRequest()!.url!.absoluteString, dataType: T.self) { result in
            completion(result.mapError { $0 as? NetworkError ?? .invalid })
        }
    }
}

extension MockURLProtocol {
    /// The article's spelling.
    fileprivate static var requsetHandler: ((URLRequest) throws -> (URLResponse, Data?))? {
        get { requestHandler }
        set { requestHandler = newValue }
    }
}

class RequestProductListTests: XCTestCase {
    override func tearDown() {
        MockURLProtocol.requsetHandler = nil
    }

    // The lines are the article's.
    // swift-format-ignore
    func test_네트워크통신없이_요청시_성공하는_경우() {
        // given
        let params = ["page_no": "\(1)", "items_per_page": "\(20)"]
        let requestProductListAPI = RequestProductList(queryParameters: params)

        MockURLProtocol.requsetHandler = { requset in
            let urlReponse = HTTPURLResponse(url: requestProductListAPI.makeURLRequest()!.url!,
                                             statusCode: 200,
                                             httpVersion: "2.0",
                                             headerFields: nil)!

            let dummyData = DummyData().data!

            return (urlReponse, dummyData)
        }//1

        let configuration = URLSessionConfiguration.default
        configuration.protocolClasses = [MockURLProtocol.self]
        let mockSession = URLSession(configuration: configuration)
        //2
        let sut = NetworkManager(session: mockSession)
        //3
        let promise = expectation(description: "will return productList")

        // when
        sut.request(api: requestProductListAPI) { (result: Result<ProductList, NetworkError>) in
            // then
            switch result {
            case .success(let list):
                XCTAssertEqual(list.pageNo, 1)
                XCTAssertEqual(list.itemsPerPage, 20)
                XCTAssertEqual(list.totalCount, 10)
            case .failure(_):
                XCTAssert(false, "에러 발생하면 안됨")
            }
            promise.fulfill()
        }

        wait(for: [promise], timeout: 900)
        XCTAssertEqual(MockURLProtocol.requests.map(\.query), [params])
    }
}
