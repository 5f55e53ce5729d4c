import APIKitLite
import Foundation

/// The content of a HAR 1.2 file: http://www.softwareishard.com/blog/har-12-spec/
///
/// It is written with every field that 1.2 requires: Firefox and Charles refuse a file without `pages`
/// or `response`. It is read without the fields that a replay does not need, and with the deviations
/// of other programs.
struct HAR: Codable {
    let log: Log

    struct Log: Codable {
        var version = "1.2"
        var creator = ["name": "APIKitLite", "version": "1"]
        var pages: [String] = []
        let entries: [Entry]
    }

    struct Entry: Codable {
        let startedDateTime: String
        /// In milliseconds, as all times here.
        let time: Double
        let request: Request
        let response: Response
        var cache: [String: String] = [:]
        /// Only `wait` is known.
        var timings: [String: Double] = [:]
        var comment: String?
    }

    struct Request: Codable {
        /// The method; nil if it cannot be read, as in what follows.
        let method: String?
        let url: String
        var httpVersion = "HTTP/1.1"
        var cookies: [String] = []
        var headers: [Field] = []
        var queryString: [Field] = []
        var postData: Body?
        var headersSize = -1
        var bodySize = -1
    }

    struct Response: Codable {
        let status: Int?
        var statusText = ""
        var httpVersion = "HTTP/1.1"
        var cookies: [String] = []
        var headers: [Field] = []
        var content = Body()
        var redirectURL = ""
        var headersSize = -1
        var bodySize = -1
        /// The time and the number of bytes of each piece; nil if the body came as a whole.
        var pieces: [[Double]]?
        /// `left` if the client left before the end, `failed` if an error came after the headers.
        var ending: String?
        /// The name of the `URLError`, which has no place in HAR 1.2.
        var error: String?
        /// The URL of the answer, if redirects were followed.
        var url: String?

        enum CodingKeys: String, CodingKey {
            case status, statusText, httpVersion, cookies, headers, content, redirectURL
            case headersSize, bodySize
            case pieces = "_pieces"
            case ending = "_ending"
            case error = "_error"
            case url = "_url"
        }
    }

    /// A header, a query item or a form field.
    struct Field: Codable {
        let name: String
        let value: String?
        /// The name of a file in a form.
        var fileName: String?
        var contentType: String?
    }

    /// The body of a request or of an answer.
    struct Body: Codable {
        /// The size in bytes; nil in a request.
        var size: Int?
        var mimeType = ""
        var text: String?
        /// Whether the text has another type.
        var isOdd = false
        /// `base64` if the text is not the body itself.
        var encoding: String?
        /// The same in a request, where HAR 1.2 has no place for it.
        var requestEncoding: String?
        /// The file beside the archive that has the body.
        var file: String?
        /// The fields of a form.
        var params: [Field]?

        enum CodingKeys: String, CodingKey {
            case size, mimeType, text, encoding, params
            case requestEncoding = "_encoding"
            case file = "_file"
        }
    }

    /// The keys of the standard, which are no names of secrets, also if a redaction has such a name.
    static let keys = words(
        """
        log version creator browser name pages startedDateTime id title pageTimings comment entries
        pageref time request response cache timings serverIPAddress connection method url httpVersion
        headers queryString postData headersSize bodySize status statusText content redirectURL value
        path domain expires httpOnly secure mimeType params text fileName contentType size compression
        encoding blocked dns connect send wait receive ssl
        """)
}

// What has another type than expected counts as missing, except for lists and objects. What a replay
// needs is then nil, and never an empty text.
extension HAR.Log {
    init(from decoder: any Decoder) throws {
        self.init(entries: try decoder.container(keyedBy: CodingKeys.self).list(.entries))
    }
}

extension HAR.Entry {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            startedDateTime: container.text(.startedDateTime) ?? "",
            time: max(0, container.number(.time) ?? 0),
            request: try container.decodeIfPresent(HAR.Request.self, forKey: .request)
                ?? HAR.Request(method: nil, url: ""),
            response: try container.decodeIfPresent(HAR.Response.self, forKey: .response)
                ?? HAR.Response(status: 0))
    }
}

extension HAR.Request {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            method: container.text(.method), url: container.text(.url) ?? "",
            headers: try container.list(.headers),
            postData: try container.decodeIfPresent(HAR.Body.self, forKey: .postData),
            bodySize: Int(container.number(.bodySize) ?? -1))
    }
}

extension HAR.Response {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            status: container.number(.status).flatMap { Int(exactly: $0) },
            headers: try container.list(.headers),
            content: try container.decodeIfPresent(HAR.Body.self, forKey: .content)
                ?? HAR.Body(),
            redirectURL: container.text(.redirectURL) ?? "",
            bodySize: Int(container.number(.bodySize) ?? -1),
            pieces: try container.decodeIfPresent([[Double]].self, forKey: .pieces),
            ending: container.text(.ending), error: container.text(.error),
            url: container.text(.url))
    }
}

extension HAR.Field {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let number = container.number(.value).map { "\(NSNumber(value: $0))" }
        self.init(
            name: container.text(.name) ?? "", value: container.text(.value) ?? number,
            fileName: container.text(.fileName), contentType: container.text(.contentType))
    }
}

extension HAR.Body {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            size: container.number(.size).map { Int($0) },
            mimeType: container.text(.mimeType) ?? "", text: container.text(.text),
            isOdd: container.contains(.text) && container.text(.text) == nil
                && (try? container.decodeNil(forKey: .text)) != true,
            encoding: container.text(.encoding) ?? container.text(.requestEncoding),
            file: container.text(.file), params: try container.list(.params))
    }
}

extension KeyedDecodingContainer {
    fileprivate func text(_ key: Key) -> String? {
        (try? decodeIfPresent(String.self, forKey: key)) ?? nil
    }

    /// A number, also one in a string; nil if no status or time can be so large.
    fileprivate func number(_ key: Key) -> Double? {
        let number = (try? decodeIfPresent(Double.self, forKey: key)) ?? nil
        return (number ?? text(key).flatMap { Double($0) }).flatMap { abs($0) < 1e12 ? $0 : nil }
    }

    fileprivate func list<Element: Decodable>(_ key: Key) throws -> [Element] {
        try decodeIfPresent([Element].self, forKey: key) ?? []
    }
}
