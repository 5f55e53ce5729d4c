import APIKitLite
import Foundation

extension MockResponse: CustomStringConvertible {
    /// The response in one line, without its headers and the content of its body.
    ///
    /// For example: `200 (OK), 16 bytes, application/json, delayed by 2.0 seconds`.
    public var description: String {
        if let configurationError { return "unusable response: \(configurationError)" }
        let type = mediaType(
            reply.head.fields.first { $0.key.lowercased() == "content-type" }?.value)
        let status = HTTPStatus.describe(reply.head.status)
        let content = [byteCount(body.count), type].compactMap(\.self).joined(separator: ", ")
        let answer = status + (body.isEmpty ? "" : ", " + content)
        let what =
            switch (reply.steps[reply.start].event, reply.steps.last?.event) {
            case (.silence, _): "no answer"
            case (.failure(let error as URLError, _), _): URLError.name(of: error.code)
            case (.failure(let error, _), _): "\(Swift.type(of: error))"
            case (.passed, _): "passed through"
            case (_, .failure(_, let count)): answer + ", failing after \(byteCount(count))"
            case (_, .silence): answer + ", without an end"
            case (_, .cutHead(let count)):
                answer + ", failing after \(byteCount(count)) of the headers"
            default:
                reply.isStreamed
                    ? [status, type, "stream"].compactMap(\.self).joined(separator: ", ") : answer
            }
        return what + (reply.delay > .zero ? ", delayed by \(reply.delay)" : "")
            + paceText + (reply.isHeld ? ", held" : "") + (reply.isBodyHeld ? ", body held" : "")
    }

    private var paceText: String {
        let waits = reply.pieceWaits
        guard waits.contains(where: { $0 > .zero }) else { return "" }
        let first = waits[0] > .zero ? ", the first after \(waits[0])" : ""
        // Recorded times need not be equal.
        let interval = intervals?.time ?? (Set(waits.dropFirst()).count == 1 ? waits[1] : .zero)
        let jitter = intervals.map { $0.jitter > .zero ? " ± \($0.jitter)" : "" } ?? ""
        let rest = interval > .zero ? ", one every \(interval)\(jitter)" : ""
        return ", \(waits.count) \(waits.count == 1 ? "piece" : "pieces")\(first)\(rest)"
    }
}
