// The file that replaces the file of a mock of an app.
@_exported import APIKitLiteTesting

typealias MockURLProtocol = APIKitLiteTesting.MockURLProtocol
