import APIKitLite
import Foundation

/// One way in which an exchange goes wrong. It names itself, and breaks a good answer.
///
/// ```swift
/// let sample = MockResponse.json(#"{"name": "Emma"}"#)
/// network.stub(.any, Fault.cut(afterBytes: 7).response(from: sample))
/// ```
///
/// ``all(of:seed:)`` lists all of one answer; `forEachFault(in:)` drives your code through them.
public struct Fault: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: Hashable, Sendable {
        case error(URLError.Code)
        case noAnswer
        case cutHead(afterBytes: Int)
        case cut(afterBytes: Int, of: Int?)
        case truncated(toBytes: Int, of: Int?)
        case wrongLength(by: Int)
        case emptyBody
        case json(JSONFault)
        case html(status: Int)
        case status(Int, retryAfter: String?)
        case slow
    }

    private let kind: Kind

    /// A transport error instead of an answer.
    public static func error(_ code: URLError.Code) -> Fault { Fault(kind: .error(code)) }

    /// Nothing at all: the request ends with its own timeout, on the network's clock.
    public static let noAnswer = Fault(kind: .noAnswer)

    /// The end of the connection before the first byte.
    public static let cutBeforeHeaders = Fault(kind: .cutHead(afterBytes: 0))

    /// The end of the connection within the headers: ``MockResponse/failing(afterHeaderBytes:)``.
    public static func cut(afterHeaderBytes count: Int) -> Fault {
        Fault(kind: .cutHead(afterBytes: count))
    }

    /// The end of the connection after so many bytes of the body. How many there would be is for the
    /// fault's name only.
    public static func cut(afterBytes count: Int, of length: Int? = nil) -> Fault {
        Fault(kind: .cut(afterBytes: count, of: length))
    }

    /// A complete answer with the first bytes of the body: JSON that stops in the middle. How many
    /// there would be is for the fault's name only.
    public static func truncated(toBytes count: Int, of length: Int? = nil) -> Fault {
        Fault(kind: .truncated(toBytes: count, of: length))
    }

    /// A `Content-Length` of one byte more than comes: the connection ends first.
    public static let longContentLength = Fault(kind: .wrongLength(by: 1))

    /// A `Content-Length` of one byte less than the body has: the client reads no further.
    public static let shortContentLength = Fault(kind: .wrongLength(by: -1))

    /// The status and the headers of the good answer, and no byte of its body.
    public static let emptyBody = Fault(kind: .emptyBody)

    /// JSON in which every string is a number, every number and every boolean a string, and every
    /// null an object.
    public static let wrongTypes = Fault(kind: .json(.wrongTypes))

    /// JSON whose value at a key path, such as `$.user.ids[0]`, has another type.
    public static func wrongType(at path: String) -> Fault {
        Fault(kind: .json(.wrongType(at: path)))
    }

    /// JSON with `null` at a key path, such as `$.user.ids[0]`. `$` is the whole.
    public static func null(at path: String) -> Fault { Fault(kind: .json(.null(at: path))) }

    /// JSON with an array around the object, or an object around the array.
    public static let wrongTopLevel = Fault(kind: .json(.wrongTopLevel))

    /// A page from something between the client and the server: a login page with 200, or an error.
    public static func html(status: Int) -> Fault { Fault(kind: .html(status: status)) }

    /// The good answer under another status, with a `Retry-After` field if there is one: seconds, or
    /// a date (RFC 9110, 10.2.3).
    public static func status(_ status: Int, retryAfter: String? = nil) -> Fault {
        Fault(kind: .status(status, retryAfter: retryAfter))
    }

    /// The good answer, a byte each second; a body of more than 64 bytes in 64 pieces. It is slow,
    /// but in time: no wait is longer than a second of the network's clock.
    public static let slow = Fault(kind: .slow)

    /// The fault in a few words: `cut after 7 of 34 bytes`.
    public var description: String {
        switch kind {
        case .error(let code): return URLError.name(of: code)
        case .noAnswer: return "no answer"
        case .cutHead(0): return "cut before the headers"
        case .cutHead(let count): return "cut after \(bytes(count)) of the headers"
        case .cut(let count, let length): return "cut after \(bytes(count, of: length))"
        case .truncated(let count, let length): return "truncated to \(bytes(count, of: length))"
        case .wrongLength(1): return "Content-Length too long by 1"
        case .wrongLength: return "Content-Length too short by 1"
        case .emptyBody: return "empty body"
        case .json(let fault): return fault.description
        case .html(let status): return "HTML from a proxy, status \(status)"
        case .status(let status, let seconds?): return "\(status) with Retry-After: \(seconds)"
        case .status(let status, nil): return "status \(status)"
        case .slow: return "slow bytes, a second apart"
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
        case .error(let code): return .error(code)
        case .noAnswer: return .hanging
        case .cutHead(let count): return sample.failing(afterHeaderBytes: count)
        case .cut(let count, _): return sample.failing(afterBytes: count)
        case .truncated(let count, _):
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
