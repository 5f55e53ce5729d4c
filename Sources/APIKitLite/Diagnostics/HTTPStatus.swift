/// Returns a status code's reason phrase, or `""` for an unregistered code, as HTTP allows.
package func reasonPhrase(_ status: Int) -> String {
    reasonPhrases["\(status)"] ?? ""
}

/// Returns a status code with its reason phrase, such as `404 (Not Found)`, or only the code if it
/// is unregistered.
package func describe(status: Int) -> String {
    reasonPhrases["\(status)"].map { "\(status) (\($0))" } ?? "\(status)"
}

/// The reason phrases of the registered status codes (RFC 9110, section 15, and the IANA registry).
/// Foundation's phrases differ between platforms and languages.
private let reasonPhrases =
    """
    100 Continue, 101 Switching Protocols, 102 Processing, 103 Early Hints,
    200 OK, 201 Created, 202 Accepted, 203 Non-Authoritative Information, 204 No Content,
    205 Reset Content, 206 Partial Content, 207 Multi-Status, 208 Already Reported,
    226 IM Used,
    300 Multiple Choices, 301 Moved Permanently, 302 Found, 303 See Other, 304 Not Modified,
    305 Use Proxy, 307 Temporary Redirect, 308 Permanent Redirect,
    400 Bad Request, 401 Unauthorized, 402 Payment Required, 403 Forbidden, 404 Not Found,
    405 Method Not Allowed, 406 Not Acceptable, 407 Proxy Authentication Required,
    408 Request Timeout, 409 Conflict, 410 Gone, 411 Length Required,
    412 Precondition Failed, 413 Content Too Large, 414 URI Too Long,
    415 Unsupported Media Type, 416 Range Not Satisfiable, 417 Expectation Failed,
    418 I'm a Teapot, 421 Misdirected Request, 422 Unprocessable Content, 423 Locked,
    424 Failed Dependency, 425 Too Early, 426 Upgrade Required, 428 Precondition Required,
    429 Too Many Requests, 431 Request Header Fields Too Large,
    451 Unavailable For Legal Reasons,
    500 Internal Server Error, 501 Not Implemented, 502 Bad Gateway, 503 Service Unavailable,
    504 Gateway Timeout, 505 HTTP Version Not Supported, 506 Variant Also Negotiates,
    507 Insufficient Storage, 508 Loop Detected, 510 Not Extended,
    511 Network Authentication Required
    """.split { $0 == "," || $0 == "\n" }.reduce(into: [String: String]()) { phrases, entry in
        let words = entry.split(separator: " ", maxSplits: 1)
        phrases[String(words[0])] = String(words[1])
    }
