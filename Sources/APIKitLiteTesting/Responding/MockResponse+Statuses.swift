/// Responses with a common status and no body. `header(_:_:)` adds to them:
/// `.tooManyRequests.header("Retry-After", "2")`.
extension MockResponse {
    /// 200 (OK).
    public static var ok: MockResponse { .status(200) }

    /// 201 (Created).
    public static var created: MockResponse { .status(201) }

    /// 202 (Accepted).
    public static var accepted: MockResponse { .status(202) }

    /// 204 (No Content).
    public static var noContent: MockResponse { .status(204) }

    /// 304 (Not Modified).
    public static var notModified: MockResponse { .status(304) }

    /// 400 (Bad Request).
    public static var badRequest: MockResponse { .status(400) }

    /// 401 (Unauthorized).
    public static var unauthorized: MockResponse { .status(401) }

    /// 403 (Forbidden).
    public static var forbidden: MockResponse { .status(403) }

    /// 404 (Not Found).
    public static var notFound: MockResponse { .status(404) }

    /// 409 (Conflict).
    public static var conflict: MockResponse { .status(409) }

    /// 410 (Gone).
    public static var gone: MockResponse { .status(410) }

    /// 422 (Unprocessable Content).
    public static var unprocessableContent: MockResponse { .status(422) }

    /// 429 (Too Many Requests).
    public static var tooManyRequests: MockResponse { .status(429) }

    /// 500 (Internal Server Error).
    public static var serverError: MockResponse { .status(500) }

    /// 502 (Bad Gateway).
    public static var badGateway: MockResponse { .status(502) }

    /// 503 (Service Unavailable).
    public static var serviceUnavailable: MockResponse { .status(503) }

    /// 504 (Gateway Timeout).
    public static var gatewayTimeout: MockResponse { .status(504) }
}
