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

    @Test(arguments: [
        (0, false), (199, false), (200, true), (204, true), (299, true), (300, false),
        (304, false), (404, false), (503, false),
    ])
    func acceptsSuccessByDefault(_ status: Int, _ isAccepted: Bool) throws {
        let response = try response(status)

        if isAccepted {
            try response.validateStatus()
        } else {
            #expect(throws: UnacceptableStatusError(statusCode: status)) {
                try response.validateStatus()
            }
        }
    }

    @Test(arguments: [(200, true), (299, true), (300, false), (304, true), (305, false)])
    func acceptsARangeAndCodes(_ status: Int, _ isAccepted: Bool) throws {
        let response = try response(status)

        if isAccepted {
            try response.validateStatus(200..<300, 304)
            try response.validateStatus(200...304)
            try response.validateStatus(status, 500)
        } else {
            let accepted = [200..<300, 304..<305]
            #expect(throws: UnacceptableStatusError(statusCode: status, accepted: accepted)) {
                try response.validateStatus(200..<300, 304)
            }
        }
    }

    @Test func acceptsEveryRange() throws {
        let response = try response(200)

        try response.validateStatus(200...)
        try response.validateStatus(..<300)
        #expect(throws: UnacceptableStatusError.self) { try response.validateStatus(200..<200) }
        #expect(throws: UnacceptableStatusError(statusCode: 200, accepted: [404..<405])) {
            try response.validateStatus(404)
        }
    }

    @Test(
        arguments: [
            ([200..<300], "A status in 200..<300 was expected."),
            ([304..<305], "The status 304 was expected."),
            ([200..<300, 304..<305], "The status 200..<300 or 304 was expected."),
            (
                [200..<201, 304..<305, 410..<420],
                "The status 200, 304 or 410..<420 was expected."
            ),
        ] as [([Range<Int>], String)])
    func saysWhatWasExpected(_ accepted: [Range<Int>], _ sentence: String) throws {
        let status = UnacceptableStatusError(statusCode: 404, accepted: accepted)
        let error = APIRequestError(
            stage: .validate, response: try response(404), underlying: status)

        #expect(status.description == "The server answered 404 (Not Found). " + sentence)
        #expect(status.localizedDescription == status.description)
        #expect(error.description.contains("\n" + sentence))
    }

    @Test func saysTheStatusIfNothingIsKnown() {
        #expect(
            "\(UnacceptableStatusError(statusCode: 404, accepted: []))"
                == "The server answered 404 (Not Found).")
    }
}
