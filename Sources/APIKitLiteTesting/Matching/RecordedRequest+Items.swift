import APIKitLite
import Foundation

extension RecordedRequest {
    /// The path of the URL, percent-decoded and without the query, such as `/users/42`.
    public var path: String { RequestReading(self).url.path.percentDecoded() }

    /// The body as JSON text with sorted keys and without spaces outside strings; nil if the body
    /// is not JSON.
    ///
    /// For example: `#expect(request.json == #"{"age":7,"name":"Emma"}"#)`.
    public var json: String? { (try? JSONValue(body))?.compact }

    /// The parts of a `multipart/form-data` body, in order; nil if the body is of another type or
    /// malformed.
    ///
    /// A body is malformed, for example, if its final boundary is missing, or if its lines end with
    /// LF instead of CR LF. The error message about a `part` criterion lists the possible reasons.
    public var parts: [RecordedPart]? {
        try? MultipartBody.parts(of: body, contentType: header("Content-Type"))
    }

    /// The query items in order, decoded as most servers decode them: a `+` means a space. An item
    /// without `=` has no value.
    public var queryItems: [URLQueryItem] {
        RequestReading(self).query.map { URLQueryItem(name: $0.name, value: $0.value) }
    }

    /// The values of the query items by name: for example, `query["page"]`.
    ///
    /// If a name is repeated, its first item counts. The value of an item without `=` is empty.
    public var query: [String: String] {
        Dictionary(
            queryItems.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { old, _ in old })
    }
}
