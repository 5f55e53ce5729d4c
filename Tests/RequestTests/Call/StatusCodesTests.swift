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
}
