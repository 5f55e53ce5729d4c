import APIKitLite
import Foundation

/// One way in which an exchange can fail. It changes a good answer into a faulty one.
///
/// ```swift
/// let sample = MockResponse.json(#"{"name": "Emma"}"#)
/// network.stub(.any, Fault.failing(afterBytes: 7).response(from: sample))
/// ```
///
/// ``all(of:seed:)`` lists all faults of one answer, and `forEachFault(in:)` runs your code under
/// each of them.
public struct Fault: Sendable {
    /// What happens to the answer.
    private enum Kind: Hashable, Sendable {
        case none
        case cancelledBefore
        case cancelledDuring
        case error(URLError.Code)
        case hanging
        case failingInHeaders(afterBytes: Int)
        case failing(afterBytes: Int)
        case truncated(toBytes: Int)
        case wrongLength(by: Int)
        case emptyBody
        case json(JSONFault)
        case html(status: Int)
        case status(Int, retryAfter: String?)
        case slow
        case stalled(afterBytes: Int)
        case repeatedPiece(Int)
    }

    private let kind: Kind
    /// The length of the whole body in bytes, for the description only.
    private var length: Int?

    private init(_ kind: Kind, length: Int? = nil) {
        self.kind = kind
        self.length = length
    }

    // The suffix is needed: `Fault.no` would not say what it is.
    // swift-format-ignore: DontRepeatTypeInStaticProperties
    /// No fault: the good answer itself.
    public static let noFault = Fault(.none)

    /// The good answer for a task that is cancelled before the load begins.
    ///
    /// `checkLoader` cancels the task. The fault itself does not change the answer.
    public static let cancelledBefore = Fault(.cancelledBefore)

    /// No answer for a task that is cancelled after the request was sent.
    ///
    /// `checkLoader` cancels the task. The fault itself is the same as ``hanging``.
    public static let cancelledDuring = Fault(.cancelledDuring)

    /// Returns the fault of a transport error instead of an answer.
    ///
    /// - Parameter code: The code of the `URLError`.
    public static func error(_ code: URLError.Code) -> Fault { Fault(.error(code)) }

    /// No answer, so that the request times out on the clock of the network. See
    /// ``MockResponse/hanging``.
    public static let hanging = Fault(.hanging)

    /// A connection that is lost before the first byte of the answer.
    public static let failingBeforeHeaders = Fault(.failingInHeaders(afterBytes: 0))

    /// Returns the fault of a connection that is lost within the headers. See
    /// ``MockResponse/failing(afterHeaderBytes:)``.
    ///
    /// - Parameter count: How many bytes of the headers arrive.
    public static func failing(afterHeaderBytes count: Int) -> Fault {
        Fault(.failingInHeaders(afterBytes: count))
    }

    /// Returns the fault of a connection that is lost within the body. See
    /// ``MockResponse/failing(afterBytes:with:)``.
    ///
    /// - Parameters:
    ///   - count: How many bytes of the body arrive.
    ///   - length: How many bytes the whole body has, for the description only. Comparing two
    ///     faults ignores it.
    public static func failing(afterBytes count: Int, of length: Int? = nil) -> Fault {
        Fault(.failing(afterBytes: count), length: length)
    }

    /// Returns the fault of a complete answer whose body is only the beginning of the good one,
    /// such as JSON without its end.
    ///
    /// - Parameters:
    ///   - count: How many bytes of the body arrive.
    ///   - length: How many bytes the whole body has, for the description only. Comparing two
    ///     faults ignores it.
    public static func truncated(toBytes count: Int, of length: Int? = nil) -> Fault {
        Fault(.truncated(toBytes: count), length: length)
    }

    /// A `Content-Length` that is one byte too large, so that the connection ends within the body.
    public static let longContentLength = Fault(.wrongLength(by: 1))

    /// A `Content-Length` that is one byte too small, so that the client misses the last byte.
    public static let shortContentLength = Fault(.wrongLength(by: -1))

    /// The status and the headers of the good answer with an empty body.
    public static let emptyBody = Fault(.emptyBody)

    /// JSON in which every value has another type.
    ///
    /// Each string is replaced by a number, each number and boolean by a string, each null and
    /// empty array by an object, and each empty object by an array.
    public static let wrongTypes = Fault(.json(.wrongTypes))

    /// Returns the fault of JSON in which one value has another type.
    ///
    /// - Parameter path: The key path of the value, such as `$.user.ids[0]`. `$` is the whole.
    public static func wrongType(at path: String) -> Fault {
        Fault(.json(.wrongType(at: path)))
    }

    /// Returns the fault of JSON in which one value is `null`.
    ///
    /// - Parameter path: The key path of the value, such as `$.user.ids[0]`. `$` is the whole.
    public static func null(at path: String) -> Fault { Fault(.json(.null(at: path))) }

    /// JSON with an object around its array, or with an array around any other value.
    public static let wrongTopLevel = Fault(.json(.wrongTopLevel))

    /// Returns the fault of an HTML page from a proxy instead of an answer: a login page with the
    /// status 200, or an error page.
    ///
    /// - Parameter status: The HTTP status.
    public static func html(status: Int) -> Fault { Fault(.html(status: status)) }

    /// Returns the fault of the good answer with another status.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - retryAfter: The value of the `Retry-After` field: seconds, or a date (RFC 9110, section
    ///     10.2.3). `nil` adds no field.
    public static func status(_ status: Int, retryAfter: String? = nil) -> Fault {
        Fault(.status(status, retryAfter: retryAfter))
    }

    /// The good answer with one byte of its body each second, on the clock of the network.
    ///
    /// A body of more than 64 bytes arrives in at most 64 pieces. A timeout limits the wait for the
    /// next byte, so the request times out only if its timeout is shorter than a second.
    public static let slow = Fault(.slow)

    /// Returns the fault of a connection that stays open within the body, but sends no more bytes.
    ///
    /// The request times out on the clock of the network, or earlier by a policy: see
    /// `timingOut(after:idle:clock:)` of `HTTPSession`.
    ///
    /// - Parameters:
    ///   - count: How many bytes of the body arrive; at least one, and fewer than the body has.
    ///   - length: How many bytes the whole body has, for the description only. Comparing two
    ///     faults ignores it.
    public static func stalled(afterBytes count: Int, of length: Int? = nil) -> Fault {
        Fault(.stalled(afterBytes: count), length: length)
    }

    /// Returns the fault of a piece of the body that arrives twice, such as an event that a server
    /// sends again.
    ///
    /// - Parameter number: The number of the piece. The first one is 1.
    public static func repeatedPiece(_ number: Int) -> Fault { Fault(.repeatedPiece(number)) }
}

extension Fault: Hashable {
    /// Returns whether two faults change an answer in the same way. It ignores the lengths that
    /// only the descriptions show.
    public static func == (fault: Fault, other: Fault) -> Bool { fault.kind == other.kind }

    /// Hashes the parts that `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

extension Fault: CustomStringConvertible {
    /// The fault in a few words, such as `connection lost after 7 of 34 bytes`.
    public var description: String {
        switch kind {
        case .none: "no fault"
        case .cancelledBefore: "cancelled before"
        case .cancelledDuring: "cancelled during"
        case .error(let code): URLError.name(of: code)
        case .hanging: "no answer"
        case .failingInHeaders(0): "connection lost before the headers"
        case .failingInHeaders(let count): "connection lost after \(bytes(count)) of the headers"
        case .failing(let count): "connection lost after \(bytes(count, of: length))"
        case .truncated(let count): "truncated to \(bytes(count, of: length))"
        case .wrongLength(1): "Content-Length too long by 1"
        case .wrongLength: "Content-Length too short by 1"
        case .emptyBody: "empty body"
        case .json(let fault): fault.description
        case .html(let status): "HTML from a proxy, status \(status)"
        case .status(let status, let seconds?): "\(status) with Retry-After: \(seconds)"
        case .status(let status, nil): "status \(status)"
        case .slow: "slow bytes, a second apart"
        case .stalled(let count): "no more bytes after \(bytes(count, of: length))"
        case .repeatedPiece(let number): "piece \(number) twice"
        }
    }
}

extension Fault {
    /// Returns the answer with this fault. The same sample always gives the same answer.
    ///
    /// - Parameter sample: A good answer.
    /// - Returns: The faulty answer. If the fault does not apply to the sample, as wrong JSON types
    ///   do not apply to an image, a request with this answer fails with a ``MockError`` that says
    ///   so.
    public func response(from sample: MockResponse) -> MockResponse {
        response(from: sample, json: nil)
    }

    /// Returns the answer with this fault.
    ///
    /// - Parameters:
    ///   - sample: A good answer.
    ///   - json: The parsed body of the sample; `nil` if it was not parsed before.
    func response(from sample: MockResponse, json: JSONValue?) -> MockResponse {
        guard sample.configurationError == nil else { return sample }
        let body = sample.body
        switch kind {
        case .none, .cancelledBefore: return sample
        case .error(let code): return .error(code)
        case .hanging, .cancelledDuring: return .hanging
        case .failingInHeaders(let count): return sample.failing(afterHeaderBytes: count)
        case .failing(let count): return sample.failing(afterBytes: count)
        case .truncated(let count):
            guard count >= 0 else { return sample.wrong("\(self): a count is not negative.") }
            return sample.replacingBody(body.prefix(count))
        case .wrongLength(1): return sample.failing(afterBytes: body.count)
        case .wrongLength: return sample.replacingBody(body.dropLast())
        case .emptyBody: return sample.replacingBody(Data())
        case .json(let fault):
            guard let json = json ?? (try? JSONValue(body)) else {
                return sample.wrong("\(self): the sample's body is not JSON.")
            }
            guard let broken = fault.breaking(json) else {
                return sample.wrong("\(self): the sample has no such value.")
            }
            return sample.replacingBody(Data(broken.compact.utf8))
        case .html(let status): return .proxyPage(status)
        case .status(let status, let retryAfter):
            let known = MockResponse.status(status)
            guard known.configurationError == nil else { return known }
            var response = sample
            response.status = status
            return retryAfter.map { response.header("Retry-After", $0) } ?? response
        case .slow: return sample.chunked(by: max(1, (body.count + 63) / 64), every: .seconds(1))
        case .stalled(let count):
            guard (1..<max(body.count, 1)).contains(count) else {
                return sample.wrong("\(self): the sample has \(bytes(body.count)).")
            }
            return sample.stalling(afterBytes: count)
        case .repeatedPiece(let number):
            guard sample.chunks.indices.contains(number - 1) else {
                return sample.wrong("\(self): the sample has no such piece.")
            }
            var response = sample
            response.chunks.insert(sample.chunks[number - 1], at: number)
            return response
        }
    }
}

extension Fault {
    /// The outcome that every request must have under this fault; `nil` if the request decides.
    var requiredOutcome: LoadOutcome? {
        switch kind {
        case .none: .value
        case .error, .hanging, .failingInHeaders, .failing, .wrongLength(by: 1), .stalled:
            .error(.transport)
        case .cancelledBefore, .cancelledDuring: .error(.transport, isCancellation: true)
        case .truncated, .wrongLength, .emptyBody, .json, .html, .status, .slow, .repeatedPiece: nil
        }
    }

    /// Whether a part of the good body arrives, and nothing else.
    var cutsBody: Bool {
        switch kind {
        case .failing, .truncated, .wrongLength, .emptyBody, .stalled: true
        case .none, .cancelledBefore, .cancelledDuring, .error, .hanging, .failingInHeaders, .json,
            .html, .status, .slow, .repeatedPiece:
            false
        }
    }
}

extension MockResponse {
    /// The whole body.
    var body: Data { Answer.join(chunks) }

    /// Returns the response with another body, in one piece.
    fileprivate func replacingBody(_ body: Data) -> MockResponse {
        var response = MockResponse.data(Data(body), status: status)
        // A `Content-Length` of the sample is the length of its own body.
        response.headers = headers.filter { $0.key.lowercased() != "content-length" }
        (response.delay, response.isHeld) = (delay, isHeld)
        return response
    }

    /// Returns the response without more bytes after this number, until the client gives up.
    fileprivate func stalling(afterBytes count: Int) -> MockResponse {
        let body = body
        var response = self
        response.chunks = [body.prefix(count), body.dropFirst(count)].map { Data($0) }
        // About 63 years, so that every client gives up before: no timeout counts as more than half
        // of that.
        response.interval = .seconds(2_000_000_000)
        response.pace = nil
        return response
    }

    /// Returns an HTML page as proxies send it.
    fileprivate static func proxyPage(_ status: Int) -> MockResponse {
        let title = HTTPStatus.reasonPhrase(status)
        let page = """
            <!DOCTYPE html>
            <html><head><title>\(status) \(title)</title></head>
            <body><h1>\(status) \(title)</h1><hr>proxy</body></html>

            """
        return .data(Data(page.utf8), contentType: "text/html; charset=utf-8", status: status)
    }
}

private func bytes(_ count: Int, of length: Int? = nil) -> String {
    if let length { return "\(count) of \(length) bytes" }
    return count == 1 ? "1 byte" : "\(count) bytes"
}
