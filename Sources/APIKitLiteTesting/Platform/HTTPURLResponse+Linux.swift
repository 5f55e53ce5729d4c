import Foundation

extension HTTPURLResponse {
    #if canImport(FoundationNetworking)
    /// Creates a response with status 200 and no headers.
    ///
    /// Apple platforms have this initializer, and the tests of WWDC 2018 session 417 call it. A
    /// mock delivers the response with the URL of the request.
    public convenience init() {
        self.init(
            url: .unnamed, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)!
    }

    /// The response; for a 401 with a Basic challenge, a copy that hides the challenge from
    /// Foundation.
    ///
    /// If Foundation on Linux saw the challenge, it would wait forever, or send the request to the
    /// real host with a delegate's credential. In the copy, the challenge begins with a space,
    /// which RFC 9110, section 5.5 allows but Foundation's parser does not skip.
    var withoutChallenge: HTTPURLResponse {
        let name = "WWW-Authenticate"
        guard statusCode == 401, let url, let challenge = value(forHTTPHeaderField: name),
            challenge.lowercased().contains("basic")
        else { return self }
        var fields = headerFields
        fields[name] = " " + challenge
        return .http(url, 401, fields)
    }
    #else
    /// The response itself, because Foundation handles only challenges that a `URLProtocol`
    /// reports.
    var withoutChallenge: HTTPURLResponse { self }
    #endif
}
