import APIKitLite
import Foundation

extension Fault {
    /// Returns the response with this fault. The same sample always produces the same response.
    ///
    /// - Parameter sample: A good response.
    /// - Returns: The faulty response. If the fault does not apply to the sample (an image has
    ///   no JSON values), a request fails with a ``MockError`` that says so.
    public func response(from sample: MockResponse) -> MockResponse {
        guard sample.configurationError == nil else { return sample }
        let body = sample.body
        switch self {
        case .noFault, .cancelledBefore: return sample
        case .error(let code): return .error(code)
        case .hanging: return .hanging
        case .cancelledDuring: return sample.held
        case .failing(let count): return sample.withoutLength.failing(afterBytes: count)
        case .truncated(let count):
            guard count >= 0 else { return sample.wrong("\(self): a count must not be negative.") }
            return sample.wrongIfFixed("\(self)", needsHead: true)
                ?? sample.replacingBody(body.prefix(count))
        case .wrongType(let path):
            return breaking(sample) { $0.replacing(path) { $0.ofAnotherType } }
        case .null(let path): return breaking(sample) { $0.replacing(path) { _ in .null } }
        case .html(let status): return .proxyPage(status)
        case .status(let status, let retryAfter):
            let response = sample.status(status)
            return retryAfter.map { response.header("Retry-After", $0) } ?? response
        case .slow: return sample.chunked(by: max(1, (body.count + 63) / 64), every: .seconds(1))
        case .stalled(let count):
            guard (1..<max(body.count, 1)).contains(count) else {
                return sample.wrong("\(self): the sample has \(body.count) bytes.")
            }
            return sample.with(\.ending, .silence(afterBytes: count))
        case .repeatedPiece(let number):
            guard sample.pieces.indices.contains(number - 1) else {
                return sample.wrong("\(self): the sample has no such piece.")
            }
            var response = sample.withoutLength
            response.pieces.insert(sample.pieces[number - 1], at: number)
            return response
        }
    }

    /// Returns the sample with its JSON changed. `change` returns nil if the JSON lacks the value
    /// to change.
    private func breaking(
        _ sample: MockResponse, _ change: (JSONValue) -> JSONValue?
    ) -> MockResponse {
        guard let json = try? JSONValue(sample.body) else {
            return sample.wrong("\(self): the sample's body is not JSON.")
        }
        guard let broken = change(json) else {
            return sample.wrong("\(self): the sample has no such value.")
        }
        return sample.replacingBody(Data(broken.compact.utf8))
    }
}

extension MockResponse {
    /// Returns the response with another body, in one piece.
    fileprivate func replacingBody(_ body: Data) -> MockResponse {
        withoutLength.with(\.pieces, [body].withoutEmpty)
    }

    /// Returns an HTML page of the kind that proxies send.
    fileprivate static func proxyPage(_ status: Int) -> MockResponse {
        let title = reasonPhrase(status)
        let page = """
            <!DOCTYPE html>
            <html><head><title>\(status) \(title)</title></head>
            <body><h1>\(status) \(title)</h1><hr>proxy</body></html>

            """
        return .data(Data(page.utf8), contentType: "text/html; charset=utf-8", status: status)
    }
}
