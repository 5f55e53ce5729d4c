import APIKitLite
import Foundation

/// Sends a file, which is read while it is sent: `PUT /uploads/{name}`.
public struct UploadRequest: PlacesRequest, Sendable {
    /// The default parsing decodes it from JSON.
    public typealias ResponseDataType = UploadReceipt

    private let baseURL: URL

    /// Creates a request to one server.
    ///
    /// - Parameter baseURL: The URL before `/uploads`.
    public init(baseURL: URL) {
        self.baseURL = baseURL
    }

    /// Makes the request for a file. Nothing is sent.
    ///
    /// - Throws: `FileBodyError` if the file is missing or not a regular file.
    public func makeRequest(from file: URL) throws -> URLRequest {
        try URLRequest("PUT", baseURL, path: "/uploads/{name}", ["name": file.lastPathComponent])
            .fileBody(file)
    }
}

/// The response of `PUT /uploads/{name}`: `{"bytes": 12}`.
public struct UploadReceipt: Codable, Equatable, Sendable {
    /// The number of bytes that the server has received.
    public let bytes: Int

    /// Creates a receipt.
    public init(bytes: Int) {
        self.bytes = bytes
    }
}
