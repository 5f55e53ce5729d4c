import Foundation

// Text is cut to the length that a message quotes before it is redacted, so the cost depends on
// that length, not on the body's.
extension Redaction {
    /// The size in bytes of the largest body that is read in full.
    static let longestBody = 100_000

    /// How many bytes to read beyond the quoted text, so that a secret that begins in that text is
    /// read whole if it is a known value or has the shape of a token.
    private var margin: Int { 4_096 + longestValue }
    /// How many bytes of a body to read for an excerpt.
    var window: Int { 12_288 + margin }

    /// Returns the beginning of the text without its secrets: see `String.excerpt`.
    ///
    /// - Parameter redacted: Redacts the text. By default, hides known values and tokens only.
    func excerpt(
        _ text: String, limit: Int = 200, onOneLine: Bool = true,
        _ redacted: (Redaction) -> (String) -> String = Redaction.text
    ) -> String {
        let start = String(text.beginning(limit + 2 * margin))
        let shown = redacted(self)(start)
        return (start.utf8.count < text.utf8.count ? withoutHalfSecret(shown) : shown)
            .excerpt(limit: limit, onOneLine: onOneLine)
    }

    /// Returns the beginning of a body on one line, without secrets, or nil if it is neither JSON
    /// nor a form.
    func excerpt(of body: Data, contentType: String? = nil) -> String? {
        let start = body.beginning(window)
        let isCut = start.count < body.count
        return self.body(start, contentType: contentType, isCut: isCut)
            .map { (isCut ? withoutHalfSecret($0) : $0).excerpt() }
    }

    /// Returns text from the server on one line, without secrets. For incomplete JSON, returns only
    /// its size.
    func excerpt(ofElement element: Data) -> String {
        if let shown = excerpt(of: element) { return shown }
        let start = String(decoding: element.beginning(window), as: UTF8.self)
        return start.beginsAsJSON ? "<\(byteCount(element.count))>" : excerpt(start)
    }

    /// Returns the value at an index of JSON without its secrets, as JSON and as text, or nil if it
    /// is not JSON. A long value is cut.
    func value(
        in bytes: [UInt8], at start: Int, below path: [any CodingKey]
    ) -> (tree: Any, shown: String)? {
        let value = Array(bytes[start...].prefix(window))
        let end = JSONText.endOfValue(at: 0, in: value)
        let isCut = end == window
        let json = json(String(decoding: value[..<end], as: UTF8.self), below: path, isCut: isCut)
        return (try? JSONText.read(Data(json.utf8))).map {
            ($0, isCut ? withoutHalfSecret(json) : json)
        }
    }

    /// Returns why a body is not valid JSON, and the text before the error if that text is valid.
    /// Returns nil if the body, or the beginning of a long one, is valid JSON.
    func failure(in body: Data) -> (error: any Error, excerpt: String?)? {
        let isLong = body.count > Self.longestBody
        let start = String(decoding: body.beginning(window), as: UTF8.self)
        do {
            _ = try JSONText.read(
                isLong ? Data(Redaction.none.json(start, isCut: true).utf8) : body)
            return nil
        } catch {
            let place = start.beginsAsJSON ? JSONText.place(of: error) : nil
            return (error, place.flatMap { excerpt(of: body, upTo: $0) })
        }
    }

    /// Returns a body's text up to where it stops being JSON, and a short word at that place.
    /// Anything else there may be secret.
    private func excerpt(of body: Data, upTo place: Int) -> String? {
        let bytes = [UInt8](body.prefix(Self.longestBody))
        guard 0 < place, place < bytes.count, !bytes.contains(0) else { return nil }
        var token = 0..<0
        while token.upperBound <= place {
            token = token.upperBound..<endOfToken(at: token.upperBound, in: bytes)
        }
        let end = token.count <= 10 ? token.upperBound : token.lowerBound
        let shown = json(String(decoding: bytes[..<end], as: UTF8.self))
        return shown.utf8.count > 200 ? "…\(shown.suffix(150))…" : shown + "…"
    }

    /// Returns a redacted text without its last part, if that may be half of a secret.
    private func withoutHalfSecret(_ text: String) -> String {
        let end = text.utf8.suffix(margin)
        let last =
            end.indices.last { end[$0...].starts(with: Self.mark.utf8) }
            .map { end.index($0, offsetBy: Self.mark.utf8.count) } ?? end.startIndex
        return text[..<last] + "…"
    }
}
