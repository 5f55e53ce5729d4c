import APIKitLite
import APIKitLiteTesting
import Foundation
import XCTest

// The tests of the note on network unit tests (Mock을 이용한 Network Unit Test): the answer is there
// when `resume()` returns, so none waits.

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

/// The note's `200..<400`, as a request says it here.
private struct CoffeesRequest: APIRequest {
    func makeRequest(from _: Void) throws -> URLRequest {
        URLRequest(url: URL(string: "https://api.sampleapis.com/coffee/hot")!)
    }

    func validateResponse(data: Data, response: HTTPURLResponse) throws {
        guard 200..<400 ~= response.statusCode else { throw NetworkError.invalid }
    }

    func parseResponse(data: Data) throws -> [Coffee] {
        try jsonDecoder.decode([Coffee].self, from: data)
    }
}

class CoffeesRequestTests: XCTestCase {
    private func load(status: Int) async throws(APIRequestError) -> [Coffee] {
        let session = MockURLSession.make(
            url: "https://api.sampleapis.com/coffee/hot",
            data: JsonLoader.data(fileName: "Coffees"), statusCode: status)
        return try await APIRequestLoader(apiRequest: CoffeesRequest(), urlSession: session).load()
    }

    func testAcceptsEveryStatusBelow400() async throws {
        for status in [200, 204, 300, 304, 399] {
            let coffees = try await load(status: status)
            XCTAssertEqual(coffees.count, 3, "\(status)")
        }
    }

    func testRefusesTheOthers() async {
        for status in [199, 400, 404, 500] {
            do {
                _ = try await load(status: status)
                XCTFail("\(status) was accepted.")
            } catch {
                XCTAssertEqual(error.stage, .validate)
                XCTAssertEqual(error.underlying as? NetworkError, .invalid)
                XCTAssertEqual(error.statusCode, status)
            }
        }
    }
}
