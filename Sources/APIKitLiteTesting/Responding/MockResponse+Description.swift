import APIKitLite
import Foundation

extension MockResponse: CustomStringConvertible {
    /// The response in one line, without its headers and the content of its body.
    ///
    /// For example: `200 (OK), 16 bytes, application/json, delayed by 2.0 seconds`.
    public var description: String {
        if let configurationError { return "unusable response: \(configurationError)" }
        let type = mediaType(headers.first { $0.key.lowercased() == "content-type" }?.value)
        let content = [byteCount(body.count), type].compactMap(\.self).joined(separator: ", ")
        let answer = HTTPStatus.describe(status) + (body.isEmpty ? "" : ", " + content)
        let what =
            switch behavior {
            case .complete: answer
            case .never: "no answer"
            case .failure(let error as URLError): URLError.name(of: error.code)
            case .failure(let error): "\(Swift.type(of: error))"
            case .cut(let count, _): answer + ", failing after \(byteCount(count))"
            case .open: answer + ", without an end"
            case .cutHead(let count): answer + ", failing after \(byteCount(count)) of the headers"
            case .stream:
                [HTTPStatus.describe(status), type, "stream"].compactMap(\.self)
                    .joined(separator: ", ")
            case .passed: "passed through"
            }
        return what + (delay > .zero ? ", delayed by \(delay)" : "")
            + paceText + (isHeld ? ", held" : "") + (isBodyHeld ? ", body held" : "")
    }

    private var paceText: String {
        let pace = pace ?? Pace(interval: interval)
        guard pace.takesTime else { return "" }
        let count = "\(chunks.count) \(chunks.count == 1 ? "piece" : "pieces")"
        let first = pace.first > .zero ? ", the first after \(pace.first)" : ""
        let jitter = pace.jitter > .zero ? " ± \(pace.jitter)" : ""
        let rest = pace.interval > .zero ? ", one every \(pace.interval)\(jitter)" : ""
        return ", \(count)\(first)\(rest)"
    }
}
