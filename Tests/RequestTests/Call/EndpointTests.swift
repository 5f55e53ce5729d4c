import APIKitLite
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct EndpointTests {
    struct Order: Codable, Equatable {
        var orderID: Int
    }

    let base = URL(string: "https://api.example.com")!

    private func response(
        _ status: Int, _ headers: [String: String] = [:]
    ) throws -> HTTPURLResponse {
        try #require(
            HTTPURLResponse(url: base, statusCode: status, httpVersion: nil, headerFields: headers))
    }

    @Test func decodesWithItsDecoder() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .custom { _ in AnyKey() }
        let endpoint = Endpoint<Void, Order>(jsonDecoder: decoder) { [base] in
            URLRequest(url: base)
        }

        let order = try endpoint.parseResponse(
            data: Data(#"{"order_id": 7}"#.utf8), response: response(200))

        #expect(order == Order(orderID: 7))
    }

    /// Every key is `orderID`.
    struct AnyKey: CodingKey {
        var stringValue = "orderID"
        var intValue: Int?
        init() {}
        init?(stringValue: String) {}
        init?(intValue: Int) {}
    }

    @Test func returnsOrIgnoresTheBody() throws {
        let bytes = Endpoint<Void, Data> { [base] in URLRequest(url: base) }
        let nothing = Endpoint<Void, Void> { [base] in
            URLRequest(url: base)
        } parse: { _, _ in
        }

        #expect(try bytes.parseResponse(data: Data([1, 2])) == Data([1, 2]))
        try nothing.parseResponse(data: Data("{".utf8))
    }

    @Test func anEmptyBodyIsNilIfTheOutputIsOptional() throws {
        let optional = Endpoint<Void, Order?> { [base] in URLRequest(url: base) }
        let list = Endpoint<Void, [Int]?> { [base] in URLRequest(url: base) }
        let bytes = Endpoint<Void, Data?> { [base] in URLRequest(url: base) }
        let required = Endpoint<Void, Order> { [base] in URLRequest(url: base) }
        struct OrderRequest: APIRequest {
            typealias ResponseDataType = Order?
            func makeRequest(from url: URL) -> URLRequest { URLRequest(url: url) }
        }

        #expect(try optional.parseResponse(data: Data()) == .none)
        #expect(try list.parseResponse(data: Data()) == .none)
        #expect(try bytes.parseResponse(data: Data()) == .none)
        #expect(try bytes.parseResponse(data: Data([1])) == Data([1]))
        #expect(try OrderRequest().parseResponse(data: Data(), response: response(204)) == .none)
        #expect(try optional.parseResponse(data: Data("null".utf8)) == .none)
        let order = Data(#"{"orderID": 7}"#.utf8)
        #expect(try optional.parseResponse(data: order) == Order(orderID: 7))
        #expect(try optional.parseResponse(data: Data(" \n".utf8)) == .none)
        for body in ["{", "{}"] {
            #expect(throws: DecodingError.self) {
                try optional.parseResponse(data: Data(body.utf8))
            }
        }
        #expect(throws: DecodingError.self) { try required.parseResponse(data: Data()) }
    }

    @Test func parsesWithAClosure() throws {
        let endpoint = Endpoint<Void, [String]> { [base] in
            URLRequest(url: base)
        } parse: { data, response in
            [
                String(decoding: data, as: UTF8.self), "\(response.statusCode)",
                response.value(forHTTPHeaderField: "ETag") ?? "none",
            ]
        }
        let data = Data("body".utf8)

        #expect(
            try endpoint.parseResponse(data: data, response: response(201, ["ETag": "1"]))
                == ["body", "201", "1"])
        #expect(try endpoint.parseResponse(data: data) == ["body", "200", "none"])
    }

    /// One endpoint of each initializer.
    private func endpoints(_ redaction: Redaction) -> [any APIRequest] {
        let make: @Sendable () -> URLRequest = { [base] in URLRequest(url: base) }
        return [
            Endpoint<Void, Order>(make, redaction: redaction),
            Endpoint<Void, Data>(make, redaction: redaction),
            Endpoint<Void, Void>(make, parse: { _, _ in }, redaction: redaction),
            Endpoint<Void, Int>(make, parse: { _, _ in 1 }, redaction: redaction),
        ]
    }

    @Test(arguments: [(200, true), (299, true), (304, false), (404, false)])
    func acceptsSuccessByDefault(_ status: Int, _ isAccepted: Bool) throws {
        let response = try response(status)

        for endpoint in endpoints(.standard) {
            let result = Result {
                try endpoint.validateResponse(data: Data(), response: response)
            }
            #expect(((try? result.get()) != nil) == isAccepted, "\(endpoint)")
        }
    }

    @Test func keepsItsRedaction() {
        let redaction = Redaction.standard.adding("birthday")
        let plain = Endpoint<Void, Order> { [base] in URLRequest(url: base) }

        #expect(plain.redaction == .standard)
        #expect(endpoints(redaction).allSatisfy { $0.redaction == redaction })
    }

    @Test func validatesWithAClosure() throws {
        let endpoint = Endpoint<Int, Order?> { [base] _ in
            URLRequest(url: base)
        } validate: {
            try $1.validateStatus(200, 404)
        }

        try endpoint.validateResponse(data: Data(), response: response(404))
        let unchanged = try response(304)
        #expect(throws: UnacceptableStatus(statusCode: 304, accepted: [200..<201, 404..<405])) {
            try endpoint.validateResponse(data: Data(), response: unchanged)
        }
    }
}
