import APIKitLiteTesting
import Foundation
import XCTest

// The test of the article on testing network logic (네트워크 로직 테스트 하기).

private typealias ProductList = Market.ProductList
private typealias DummyData = Market.DummyData
private typealias RequestProductList = Market.RequestProductList

extension MockURLProtocol {
    /// The article's spelling.
    fileprivate static var requsetHandler: ((URLRequest) throws -> (HTTPURLResponse, Data?))? {
        get { requestHandler }
        set { requestHandler = newValue }
    }
}

class RequestProductListTests: XCTestCase {
    // The note on network unit tests has types of these names too.
    private typealias NetworkManager = Market.NetworkManager
    private typealias NetworkError = Market.NetworkError

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

        wait(for: [promise], timeout: 10)
    }

    func testTheQueryIsSent() {
        MockURLProtocol.requsetHandler = { _ in (HTTPURLResponse(), DummyData().data) }
        let configuration = URLSessionConfiguration.default
        configuration.protocolClasses = [MockURLProtocol.self]
        let sut = NetworkManager(session: URLSession(configuration: configuration))
        let promise = expectation(description: "answered")

        sut.request(api: RequestProductList(queryParameters: ["page_no": "3"])) {
            (_: Result<ProductList, NetworkError>) in promise.fulfill()
        }
        wait(for: [promise], timeout: 10)

        XCTAssertEqual(MockURLProtocol.requests.map(\.query), [["page_no": "3"]])
    }

    // The article's first way, a session that is no URLSession: it answers inside `resume()`.

    func testMockURLSessionSucceeds() throws {
        let sut = NetworkManager(session: MockURLSession(data: DummyData().data))

        let list = try XCTUnwrap(requestFirstPage(from: sut)).get()

        XCTAssertEqual(list.totalCount, 10)
    }

    func testMockURLSessionFails() {
        let sut = NetworkManager(session: MockURLSession(isRequestSuccess: false))

        XCTAssertThrowsError(try XCTUnwrap(requestFirstPage(from: sut)).get()) { error in
            XCTAssertEqual(error as? NetworkError, .status(404))
        }
    }

    private func requestFirstPage(
        from sut: NetworkManager
    ) -> Result<ProductList, NetworkError>? {
        var answer: Result<ProductList, NetworkError>?
        sut.request(api: RequestProductList(queryParameters: ["page_no": "1"])) {
            answer = $0
        }
        return answer
    }
}
