import APIKitLite
import Foundation

// When a response comes, and how far it gets.
extension MockResponse {
    /// The same response after a delay, on the network's clock: without one it takes no time, but
    /// still comes after one with a shorter delay.
    ///
    /// A delay beyond the request's `timeoutInterval` (60 s by default) ends in
    /// `URLError.timedOut`.
    public func delayed(by delay: Duration) -> MockResponse {
        guard delay >= .zero else {
            return wrong("delayed(by: \(delay)): a delay is not negative.")
        }
        var response = self
        response.delay = delay
        return response
    }

    /// The same body in pieces of `size` bytes: a delegate sees each, other clients the whole.
    ///
    /// With an interval, each piece comes so long after the one before, on the network's clock: a
    /// slow connection.
    public func chunked(by size: Int, every interval: Duration = .zero) -> MockResponse {
        guard size > 0 else {
            return wrong("chunked(by: \(size)): a piece has at least one byte.")
        }
        guard interval >= .zero else {
            return wrong("chunked(by: \(size), every: \(interval)): an interval is not negative.")
        }
        var response = self
        let whole = Answer.join(chunks)
        response.chunks = stride(from: 0, to: whole.count, by: size).map {
            whole.subdata(in: $0..<min($0 + size, whole.count))
        }
        response.interval = interval
        return response
    }

    /// The same response, held until the stub's ``Stub/release()``.
    public var held: MockResponse {
        var response = self
        response.isHeld = true
        return response
    }

    /// The same response, broken off after so many bytes of its body. More than it has: after the
    /// whole body, as where a longer one was announced. An answer that has no body, such as a 204
    /// or one to a `HEAD`, does not begin.
    ///
    /// A delegate sees what came before; a completion handler and an `exchange` only the error. Over
    /// a socket the connection is closed there, and the client makes its own error of it.
    public func failing(
        afterBytes count: Int, with code: URLError.Code = .networkConnectionLost
    ) -> MockResponse {
        guard count >= 0 else {
            return wrong("failing(afterBytes: \(count)): a count is not negative.")
        }
        var response = self
        response.behavior = .cut(afterBytes: count, URLError(code))
        return response
    }

    /// The same response, broken off within its headers: `URLError.networkConnectionLost`, and over
    /// a socket what the client makes of so many bytes.
    ///
    /// On Linux a socket carries no more than the status line without its end: Foundation's client
    /// there would end its process if the connection ended later in the headers.
    public func failing(afterHeaderBytes count: Int) -> MockResponse {
        guard count >= 0 else {
            return wrong("failing(afterHeaderBytes: \(count)): a count is not negative.")
        }
        var response = self
        response.behavior = .cutHead(afterBytes: count)
        return response
    }

    func wrong(_ configurationError: String) -> MockResponse {
        var response = self
        response.configurationError = response.configurationError ?? configurationError
        return response
    }

    /// How the answer to a request is given.
    func plan(for request: URLRequest, gate: AwaitableCounter) -> ResponsePlan {
        var plan = ResponsePlan(delay: delay, interval: interval, gate: isHeld ? gate : nil)
        switch behavior {
        case .passed: break
        case .never: plan.ending = .never
        case .failure(let error): plan.ending = .failure(error)
        case .complete: plan.play(answer(to: request))
        case .cut(_, let error) where !hasBody(for: request):
            // There is nothing to announce, so over a socket a head alone would be complete.
            plan.ending = .failure(error)
        case .cut(let count, let error):
            let length = chunks.reduce(0) { $0 + $1.count }
            plan.play(answer(to: request, missing: max(0, count - length + 1)), upTo: count)
            plan.ending = .failure(error)
        case .cutHead(let count):
            plan.play(answer(to: request))
            plan.ending = .cutHead(afterBytes: count)
        }
        return plan
    }

    /// Whether the whole answer comes at once.
    var isImmediate: Bool {
        guard delay == .zero, !isHeld else { return false }
        switch behavior {
        case .complete: return interval == .zero
        case .failure: return true
        case .never, .cut, .cutHead, .passed: return false
        }
    }
}

extension ResponsePlan {
    /// Gives the answer, or so many bytes of its body.
    mutating func play(_ answer: Answer, upTo count: Int = .max) {
        self.answer = answer
        var left = count
        pieces = answer.chunks.map { chunk in
            defer { left = max(0, left - chunk.count) }
            return chunk.prefix(left)
        }
        pieces.removeAll(where: \.isEmpty)
    }
}
