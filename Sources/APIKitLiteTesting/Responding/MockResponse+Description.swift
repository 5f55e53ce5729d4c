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
            case .cutHead(let count): answer + ", failing after \(byteCount(count)) of the headers"
            case .passed: "passed through"
            }
        return what + (delay > .zero ? ", delayed by \(delay)" : "")
            + (interval > .zero ? ", \(chunks.count) pieces, one every \(interval)" : "")
            + (isHeld ? ", held" : "")
    }
}
