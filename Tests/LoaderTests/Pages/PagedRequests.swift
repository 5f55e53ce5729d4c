import APIKitLite
import TestSupport

/// Pages by number, each a list of numbers; an empty one is the last.
struct NumbersRequest: PagedAPIRequest {
    typealias ResponseDataType = [Int]

    func makeRequest(from page: Int) throws -> URLRequest { .test("numbers/\(page)") }

    func nextInput(after numbers: [Int], response: HTTPURLResponse, from page: Int) -> Int? {
        numbers.isEmpty ? nil : page + 1
    }
}

/// Pages by a cursor that the first page does not have.
struct CursorRequest: PagedAPIRequest {
    struct Page: Decodable, Sendable {
        var items: [String]
        var next: String?
    }

    func makeRequest(from cursor: String?) throws -> URLRequest {
        try URLRequest("GET", .api, path: "/items", query: ["cursor": cursor])
    }

    func parseResponse(data: Data) throws -> Page {
        try jsonDecoder.decode(Page.self, from: data)
    }

    func nextInput(
        after page: Page, response: HTTPURLResponse, from cursor: String?
    ) -> String?? {
        page.next
    }
}
