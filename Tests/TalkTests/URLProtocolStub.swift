// The file that replaces the `URLProtocolStub` of an app. It needs no other import.
@_exported import APIKitLiteTesting

class URLProtocolStub: MockURLProtocol {
    private typealias Values = (data: Data?, response: URLResponse?, error: (any Error)?)

    nonisolated(unsafe) private static var stubs: [URL?: Values] = [:]
    nonisolated(unsafe) private static var observer: ((URLRequest) -> Void)?

    static func stub(
        url: URL? = nil, data: Data?, response: URLResponse?, error: (any Error)?
    ) {
        stubs[url] = (data, response, error)
        requestHandler = respond(to:)
    }

    static func observeRequests(observer: @escaping (URLRequest) -> Void) {
        Self.observer = observer
        requestHandler = respond(to:)
    }

    static func startInterceptingRequests() { register() }

    static func stopInterceptingRequests() {
        unregister()
        removeStub()
    }

    static func removeStub() {
        (stubs, observer, requestHandler) = ([:], nil, nil)
    }

    private static func respond(to request: URLRequest) throws -> (URLResponse, Data?) {
        observer?(request)
        let stub = stubs[request.url] ?? stubs[nil]
        if let error = stub?.error { throw error }
        guard let response = stub?.response else { throw URLError(.badServerResponse) }
        return (response, stub?.data)
    }
}
