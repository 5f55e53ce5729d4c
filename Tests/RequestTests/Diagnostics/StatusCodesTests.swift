import APIKitLite
import TestSupport

@Suite(.limited) struct StatusCodesTests {
    @Test func acceptsSuccessByDefault() throws {
        for status in 200..<300 { try HTTPURLResponse.status(status).validateStatus() }
        for status in [0, 199, 300, 304, 404, 503] {
            #expect(throws: UnacceptableStatusError(statusCode: status)) {
                try HTTPURLResponse.status(status).validateStatus()
            }
        }
    }

    @Test func acceptsARangeAndCodes() throws {
        for status in [200, 299, 304] {
            let response = HTTPURLResponse.status(status)
            try response.validateStatus(200..<300, 304)
            try response.validateStatus(200...304)
            try response.validateStatus(status, 500)
        }
        for status in [300, 305] {
            let accepted = [200..<300, 304..<305]
            #expect(throws: UnacceptableStatusError(statusCode: status, accepted: accepted)) {
                try HTTPURLResponse.status(status).validateStatus(200..<300, 304)
            }
        }
    }

    @Test func acceptsEveryRange() throws {
        let response = HTTPURLResponse.status(200)
        try response.validateStatus(200...)
        try response.validateStatus(..<300)
        #expect(throws: UnacceptableStatusError.self) { try response.validateStatus(200..<200) }
        #expect(throws: UnacceptableStatusError(statusCode: 200, accepted: [404..<405])) {
            try response.validateStatus(404)
        }
    }
}
