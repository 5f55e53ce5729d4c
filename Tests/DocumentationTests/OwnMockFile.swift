// The file that replaces the file of a mock of an app. It needs no other import.
@_exported import APIKitLiteTesting

typealias MockURLProtocol = APIKitLiteTesting.MockURLProtocol

// The members of mocks that apps have written.

extension MockURLProtocol {
    static var handler: ((URLRequest) throws -> (URLResponse, Data?))? {
        get { requestHandler }
        set { requestHandler = newValue }
    }
}

final class FailingURLProtocol: MockURLProtocol {
    nonisolated(unsafe) static var error: (any Error)?

    override func startLoading() {
        guard let error = Self.error else { return super.startLoading() }
        client?.urlProtocol(self, didFailWithError: error)
    }
}

final class StaticURLProtocol: MockURLProtocol {
    nonisolated(unsafe) static var data: Data? { didSet { update() } }
    nonisolated(unsafe) static var response: URLResponse? { didSet { update() } }
    nonisolated(unsafe) static var error: (any Error)? { didSet { update() } }

    private static func update() {
        requestHandler = { _ in
            if let error { throw error }
            guard let response else { throw URLError(.badServerResponse) }
            return (response, data)
        }
    }
}
