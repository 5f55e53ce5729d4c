import APIKitLite
import Foundation

/// One way in which an exchange goes wrong. It names itself, and breaks a good answer.
///
/// ```swift
/// let sample = MockResponse.json(#"{"name": "Emma"}"#)
/// network.stub(.any, Fault.failing(afterBytes: 7).response(from: sample))
/// ```
///
/// ``all(of:seed:)`` lists all of one answer; `forEachFault(in:)` drives your code through them.
public struct Fault: Sendable {
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
    }

    private let kind: Kind
    /// The length of the whole body, for the description only.
    private var length: Int?

    private init(_ kind: Kind, length: Int? = nil) {
        self.kind = kind
        self.length = length
    }

    /// The good answer as it is.
    public static let noFault = Fault(.none)

    /// The good answer, to a task that is cancelled before the load begins. `checkLoader` cancels it.
    public static let cancelledBefore = Fault(.cancelledBefore)

    /// No answer, and a task that is cancelled when the request has been sent. `checkLoader` cancels
    /// it.
    public static let cancelledDuring = Fault(.cancelledDuring)

    /// A transport error instead of an answer.
    public static func error(_ code: URLError.Code) -> Fault { Fault(.error(code)) }

    /// No answer: the request ends with its own timeout, on the network's clock. See
    /// ``MockResponse/hanging``.
    public static let hanging = Fault(.hanging)

    /// A connection that is lost before the first byte.
    public static let failingBeforeHeaders = Fault(.failingInHeaders(afterBytes: 0))

    /// A connection that is lost within the headers: ``MockResponse/failing(afterHeaderBytes:)``.
    public static func failing(afterHeaderBytes count: Int) -> Fault {
        Fault(.failingInHeaders(afterBytes: count))
    }

    /// A connection that is lost within the body: ``MockResponse/failing(afterBytes:with:)``.
    ///
    /// - Parameters:
    ///   - count: How many bytes of the body come.
    ///   - length: How many bytes the body has, for the description. It does not count when two
    ///     faults are compared.
    public static func failing(afterBytes count: Int, of length: Int? = nil) -> Fault {
        Fault(.failing(afterBytes: count), length: length)
    }

    /// A complete answer whose body is only the beginning of the good one: JSON that ends in the
    /// middle.
    ///
    /// - Parameters:
    ///   - count: How many bytes of the body come.
    ///   - length: How many bytes the body has, for the description. It does not count when two
    ///     faults are compared.
    public static func truncated(toBytes count: Int, of length: Int? = nil) -> Fault {
        Fault(.truncated(toBytes: count), length: length)
    }

    /// A `Content-Length` of one byte more than comes: the connection ends first.
    public static let longContentLength = Fault(.wrongLength(by: 1))

    /// A `Content-Length` of one byte less than the body has: the client reads no further.
    public static let shortContentLength = Fault(.wrongLength(by: -1))

    /// The status and the headers of the good answer, and no byte of its body.
    public static let emptyBody = Fault(.emptyBody)

    /// JSON in which every string is a number, every number and every boolean a string, and every
    /// null an object.
    public static let wrongTypes = Fault(.json(.wrongTypes))

    /// JSON whose value at a key path, such as `$.user.ids[0]`, has another type.
    public static func wrongType(at path: String) -> Fault {
        Fault(.json(.wrongType(at: path)))
    }

    /// JSON with `null` at a key path, such as `$.user.ids[0]`. `$` is the whole.
    public static func null(at path: String) -> Fault { Fault(.json(.null(at: path))) }

    /// JSON with an array around the object, or an object around the array.
    public static let wrongTopLevel = Fault(.json(.wrongTopLevel))

    /// A page from something between the client and the server: a login page with 200, or an error.
    public static func html(status: Int) -> Fault { Fault(.html(status: status)) }

    /// The good answer under another status, with a `Retry-After` field if there is one: seconds, or
    /// a date (RFC 9110, 10.2.3).
    public static func status(_ status: Int, retryAfter: String? = nil) -> Fault {
        Fault(.status(status, retryAfter: retryAfter))
    }

    /// The good answer, a byte each second; a body of more than 64 bytes in 64 pieces. It is slow,
    /// but in time: no wait is longer than a second of the network's clock.
    public static let slow = Fault(.slow)
}

extension Fault: Hashable {
    /// Compares what happens to the answer; the lengths that only the descriptions show do not count.
    public static func == (fault: Fault, other: Fault) -> Bool { fault.kind == other.kind }

    /// Hashes what ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

extension Fault: CustomStringConvertible {
    /// The fault in a few words: `connection lost after 7 of 34 bytes`.
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
        }
    }
}

extension Fault {
    /// The answer with this fault. Nothing is sent; the same sample always gives the same answer.
    ///
    /// - Parameter sample: A good answer. Where the fault cannot be made of it, such as wrong JSON
    ///   types of an image, a request that it answers fails with a text that says so.
    public func response(from sample: MockResponse) -> MockResponse {
        response(from: sample, json: nil)
    }

    /// - Parameter json: What the sample's body says, if it was read before.
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
        }
    }
}

extension Fault {
    /// What a load must end in under this fault, whatever its request; nil where that depends on
    /// the request.
    var requiredOutcome: LoadOutcome? {
        switch kind {
        case .none: .value
        case .error, .hanging, .failingInHeaders, .failing, .wrongLength(by: 1): .error(.transport)
        case .cancelledBefore, .cancelledDuring: .error(.transport, isCancellation: true)
        case .truncated, .wrongLength, .emptyBody, .json, .html, .status, .slow: nil
        }
    }
}

extension MockResponse {
    /// The whole body.
    var body: Data { Answer.join(chunks) }

    fileprivate func replacingBody(_ body: Data) -> MockResponse {
        var response = MockResponse.data(Data(body), status: status)
        // A length that the sample names is that of the other body.
        response.headers = headers.filter { $0.key.lowercased() != "content-length" }
        (response.delay, response.isHeld) = (delay, isHeld)
        return response
    }

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
