import APIKitLite
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct RedirectLimitsTests {
    private let auth = URL(string: "https://auth.example.com/token")!
    private let api = URL(string: "https://api.example.com")!

    private func refusal(_ next: String, allowed: [URL]?) -> RefusedRedirectError? {
        RedirectLimits(from: auth, allowed: allowed.map { Set($0.map(\.origin)) })
            .refusal(of: URL(string: next))
    }

    @Test(arguments: [
        "https://auth.example.com/v2", "https://AUTH.example.com:443/", "https://api.example.com/",
    ])
    func allowTheOwnOriginAndThoseOfTheCredentials(_ next: String) {
        #expect(refusal(next, allowed: [api]) == nil)
    }

    @Test(arguments: [
        ("https://evil.example/token", "https://evil.example"),
        ("http://auth.example.com/token", "http://auth.example.com"),
        ("https://auth.example.com:8443/?a=b", "https://auth.example.com:8443"),
        ("https://user:secret@sub.auth.example.com/", "https://sub.auth.example.com"),
        ("https://[::1]:80/", "https://[::1]:80"),
    ])
    func refuseEveryOther(_ next: String, _ origin: String) {
        let refusal = refusal(next, allowed: [api])

        #expect(refusal == RefusedRedirectError(from: "https://auth.example.com", to: origin))
        #expect(refusal?.errorDescription?.contains(origin) == true)
        #expect(refusal?.description.contains(#"URL(string: "\#(origin)")!"#) == true)
    }

    @Test func refuseNothingWhereThereAreNone() {
        #expect(refusal("https://evil.example/token", allowed: nil) == nil)
    }
}
