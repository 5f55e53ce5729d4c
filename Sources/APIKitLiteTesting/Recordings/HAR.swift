import Foundation

/// The content of a HAR 1.2 file: http://www.softwareishard.com/blog/har-12-spec/
///
/// The properties have the names of the file's fields. The properties include `pages` and every
/// field that HAR 1.2 requires, because Firefox and Charles reject a file without `pages` or
/// `response`.
struct HAR: Codable {
    var log: Log

    struct Log: Codable {
        var version: Part<String>? = Part("1.2")
        var creator: Part<[String: String]>? = Part(["name": "APIKitLite", "version": "1"])
        var pages: Part<[String]>? = Part([])
        var entries: [Part<Entry>]
    }

    struct Entry: Codable {
        var startedDateTime: String?
        var time: Double?
        var request: Request
        var response: Response?
        var cache: Part<[String: String]>? = Part([:])
        var timings: Part<[String: Int]>?
        var comment: Part<String>?
    }

    struct Request: Codable, HARMessage {
        var method: String
        var url: String
        var httpVersion: Part<String>? = Part("HTTP/1.1")
        var cookies: Part<[String]>? = Part([])
        var headers: [Field]?
        var queryString: Part<[Field]>?
        var postData: Body?
        var headersSize: Part<Int>? = Part(-1)
        var bodySize: Int?

        var body: Body? { postData }
    }

    struct Response: Codable, HARMessage {
        var status: Int
        var statusText: Part<String>?
        var httpVersion: Part<String>? = Part("HTTP/1.1")
        var cookies: Part<[String]>? = Part([])
        var headers: [Field]?
        var content: Body?
        var redirectURL: Part<String>?
        var headersSize: Part<Int>? = Part(-1)
        var bodySize: Int?
        /// The time of each piece of the body in milliseconds, and the piece's size in bytes.
        var _pieces: [[Int]]?
        /// `left` if the client left, `failed` if an error followed the status.
        var _ending: String?
        /// The name or code of an error. In files of other programs, the value may have any type.
        var _error: Part<String>?
        /// The final URL, if it differs from the request's URL.
        var _url: String?

        var body: Body? { content }
    }

    struct Body: Codable {
        var mimeType: String?
        var text: String?
        var encoding: String?
        /// The encoding of a request's body, for which HAR 1.2 has no field.
        var _encoding: String?
        var size: Int?
        var params: [Field]?
        /// If the body is in a file beside the archive, the name of that file.
        var _file: String?
    }

    /// A header, a query item or a field of a form.
    struct Field: Codable {
        var name: String
        var value: String?
        var fileName: String?
        var contentType: String?
    }

    /// A value that is decoded separately, so that a fault in the value affects nothing else.
    struct Part<Value: Codable>: Codable {
        let value: Result<Value, any Error>

        init(_ value: Value) { self.value = .success(value) }

        init(from decoder: any Decoder) {
            do {
                value = .success(try Value(from: decoder))
            } catch {
                // On Linux, decoding a number that does not fit its type throws a private error.
                let fault = HARFault("a number does not fit its type")
                value = .failure(error is DecodingError ? error : fault)
            }
        }

        func encode(to encoder: any Encoder) throws { try value.get().encode(to: encoder) }
    }
}

/// What a request and a response have in common.
protocol HARMessage {
    var headers: [HAR.Field]? { get }
    var body: HAR.Body? { get }
    var bodySize: Int? { get }
}
