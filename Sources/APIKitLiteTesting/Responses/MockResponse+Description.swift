import APIKitLite
import Foundation

extension MockResponse: CustomStringConvertible {
    /// The response on one line, with the media type and, except for a stream, the size of its body
    /// instead of the headers and the content; for an invalid response, its configuration error.
    ///
    /// For example: `200 (OK), 16 bytes, application/json, delayed by 2.0 seconds`.
    public var description: String {
        if let configurationError { return "unusable response: \(configurationError)" }
        let type = mediaType(fields["content-type"]?.value)
        let status = describe(status: status)
        let content = [byteCount(body.count), type].compactMap(\.self).joined(separator: ", ")
        let text = status + (body.isEmpty ? "" : ", " + content)
        let what =
            switch ending {
            case _ where session != nil: "passed through"
            case .silence(afterBytes: nil): "no response"
            case .failure(let error as URLError, afterBytes: nil): URLError.name(of: error.code)
            case .failure(let error, afterBytes: nil): "\(Swift.type(of: error))"
            case .failure(_, let count?): text + ", failing after \(byteCount(count))"
            case .silence: text + ", without an end"
            case .end:
                source != nil
                    ? [status, type, "stream"].compactMap(\.self).joined(separator: ", ") : text
            }
        return what + (delay > .zero ? ", delayed by \(delay)" : "")
            + paceText + (isHeld ? ", held" : "")
    }

    private var paceText: String {
        let waits = gaps(pieces.count)
        guard waits.contains(where: { $0 > .zero }) else { return "" }
        // The gaps of a recorded response may differ from each other.
        let interval = Set(waits.dropFirst()).count == 1 ? ", one every \(waits[1])" : ""
        return ", \(waits.count) pieces\(interval)"
    }
}
