import APIKitLite

/// Loads a path of one host as text.
package struct TextRequest: APIRequest {
    package var baseURL: URL

    package init(baseURL: URL = URL(string: "https://api.example.com")!) { self.baseURL = baseURL }

    package func makeRequest(from path: String) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: path)
    }

    package func parseResponse(data: Data) throws -> String {
        String(decoding: data, as: UTF8.self)
    }
}
