import Foundation
import TestSupport
import Testing

@testable import APIKitLite

@Suite(.limited) struct CoalescingKeyTests {
    private func request(
        _ url: String = "https://a.example/p?q=1", _ change: (inout URLRequest) -> Void = { _ in }
    ) -> URLRequest {
        var request = URLRequest(url: URL(string: url)!)
        request.setValue("a/b", forHTTPHeaderField: "Accept")
        request.setValue("Bearer emma", forHTTPHeaderField: "Authorization")
        change(&request)
        return request
    }

    @Test func isTheSameForIdenticalRequests() {
        let first = request()
        let second = request {
            $0.allHTTPHeaderFields = ["authorization": "Bearer emma", "ACCEPT": "a/b"]
            $0.httpMethod = "GET"
        }

        #expect(CoalescingKey(first) != nil)
        #expect(CoalescingKey(first) == CoalescingKey(second))
    }

    // The text of two requests with different tokens is the same, for reading.
    @Test func tellsOneUserFromAnother() {
        let other = request { $0.setValue("Bearer anne", forHTTPHeaderField: "Authorization") }

        #expect(request().curlCommand() == other.curlCommand())
        #expect(CoalescingKey(request()) != CoalescingKey(other))
        #expect(
            CoalescingKey(request("https://a.example/p?token=1"))
                != CoalescingKey(request("https://a.example/p?token=2")))
    }

    @Test(arguments: [
        "https://a.example/p?q=2", "https://a.example/p", "https://a.example/P?q=1",
        "http://a.example/p?q=1", "https://b.example/p?q=1", "https://a.example:8443/p?q=1",
        "https://me@a.example/p?q=1", "https://a.example/p?q=1#part",
    ])
    func tellsURLsApart(_ url: String) {
        #expect(CoalescingKey(request()) != CoalescingKey(request(url)))
    }

    @Test func tellsApartWhatChangesTheExchange() {
        let changes: [(inout URLRequest) -> Void] = [
            { $0.httpMethod = "HEAD" },
            { $0.setValue("a/c", forHTTPHeaderField: "Accept") },
            { $0.setValue(nil, forHTTPHeaderField: "Accept") },
            { $0.setValue("1", forHTTPHeaderField: "X-New") },
            { $0.httpBody = Data("body".utf8) },
            { $0.cachePolicy = .reloadIgnoringLocalCacheData },
            { $0.timeoutInterval = 1 },
            { $0.httpShouldHandleCookies = false },
            { $0.allowsCellularAccess = false },
        ]
        for change in changes {
            let other = CoalescingKey(request("https://a.example/p?q=1", change))

            #expect(other != nil)
            #expect(CoalescingKey(request()) != other)
        }
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    func isOnlyForSafeMethods(_ method: String) {
        #expect(CoalescingKey(request { $0.httpMethod = method }) == nil)
    }

    @Test func isNotForAStream() {
        #expect(CoalescingKey(request { $0.httpBodyStream = InputStream(data: Data()) }) == nil)
    }
}
