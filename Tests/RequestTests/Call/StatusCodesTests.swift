import APIKitLite
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct StatusCodesTests {
    private func response(_ status: Int) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "https://api.example.com"))
        return try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil))
    }

    @Test(arguments: [200, 204, 299])
    func acceptsSuccessByDefault(_ status: Int) throws {
        try response(status).validateStatus()
    }

    @Test(arguments: [0, 199, 300, 304, 404, 503])
    func rejectsOtherStatusesByDefault(_ status: Int) throws {
        let response = try response(status)

        #expect(throws: UnacceptableStatus(statusCode: status)) { try response.validateStatus() }
    }

    @Test(arguments: [
        (200, true), (299, true), (300, false), (304, true), (305, false), (399, false),
        (400, true), (404, true), (405, false),
    ])
    func acceptsCodesAndRanges(_ status: Int, _ isAccepted: Bool) throws {
        let response = try response(status)
        let accepted = [200..<300, 304..<305, 400..<405]

        if isAccepted {
            try response.validateStatus(200..<300, 304, 400...404)
        } else {
            #expect(throws: UnacceptableStatus(statusCode: status, accepted: accepted)) {
                try response.validateStatus(200..<300, 304, 400...404)
            }
        }
    }

    @Test func acceptsNothingInAnEmptyRange() throws {
        let response = try response(200)

        #expect(throws: UnacceptableStatus.self) { try response.validateStatus(200..<200) }
    }

    @Test func takesTheLargestCode() throws {
        try response(200).validateStatus(200...Int.max, Int.max, Int.min)
    }

    @Test(
        arguments: [
            ([], "The server answered 404 (Not Found)."),
            ([200..<300], "The server answered 404 (Not Found); 200..<300 was expected."),
            ([304..<305], "The server answered 404 (Not Found); 304 was expected."),
            (
                [200..<300, 304..<305],
                "The server answered 404 (Not Found); 200..<300 or 304 was expected."
            ),
            (
                [200..<201, 304..<305, 410..<420],
                "The server answered 404 (Not Found); 200, 304 or 410..<420 was expected."
            ),
        ] as [([Range<Int>], String)])
    func saysWhatWasExpected(_ accepted: [Range<Int>], _ text: String) {
        #expect(UnacceptableStatus(statusCode: 404, accepted: accepted).description == text)
    }

    @Test(
        arguments: [
            ([200..<300], "A status in 200..<300 was expected."),
            ([304..<305], "The status 304 was expected."),
            ([200..<300, 304..<305], "The status 200..<300 or 304 was expected."),
        ] as [([Range<Int>], String)])
    func saysWhatWasExpectedInTheErrorOfALoad(_ accepted: [Range<Int>], _ text: String) throws {
        let error = APIRequestError(
            stage: .validate, response: try response(404), data: Data(),
            underlying: UnacceptableStatus(statusCode: 404, accepted: accepted))

        #expect(error.description.contains(text))
    }
}
