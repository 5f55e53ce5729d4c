// The file that replaces the file of a mock of an app. It needs no other import.
@_exported import APIKitLiteTesting

typealias MockURLProtocol = APIKitLiteTesting.MockURLProtocol

extension MockURLProtocol {
    static var handler: ((URLRequest) throws -> (URLResponse, Data?))? {
        get { requestHandler }
        set { requestHandler = newValue }
    }
}
