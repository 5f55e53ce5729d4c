import APIKitLite
import Foundation

/// Loads a path of one host as text.
package struct TextRequest: APIRequest {
    package var baseURL: URL
    package var method: String

    package init(baseURL: URL = URL(string: "https://api.example.com")!, method: String = "GET") {
        self.baseURL = baseURL
        self.method = method
    }

    package func makeRequest(from path: String) throws -> URLRequest {
        try URLRequest(method, baseURL, path: path)
    }

    package func parseResponse(data: Data) throws -> String {
        String(decoding: data, as: UTF8.self)
    }
}
