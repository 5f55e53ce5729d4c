import Foundation

extension Redaction {
    /// Returns the method and the URL: `GET https://api.example.com/users`.
    func line(of request: URLRequest) -> String {
        let url = url(request.url?.absoluteString ?? "(no URL)")
        return "\(request.httpMethod ?? "GET") \(url.excerpt(limit: 2_000, onOneLine: false))"
    }
}

extension URLRequest {
    package func line(redacting redaction: Redaction) -> String {
        redaction.hidingValues(of: self).line(of: self)
    }

    /// The body, if its bytes are known without reading a file or a stream.
    var knownBody: Data? { httpBody ?? repeatableBody?.bytes }

    /// Returns the description of a body stream, which is not read; nil if there is none.
    func streamPlaceholder(_ redaction: Redaction) -> String? {
        guard httpBodyStream != nil else { return nil }
        let type = value(forHTTPHeaderField: "Content-Type")
        return repeatableBody?.placeholder(contentType: type, redacting: redaction)
            ?? redaction.placeholder(size: "a stream, not read", contentType: type)
    }
}

extension RepeatableBody {
    /// The whole body; nil if it has files.
    fileprivate var bytes: Data? {
        var bytes = Data()
        for segment in segments {
            guard case .bytes(let data) = segment else { return nil }
            bytes += data
        }
        return bytes
    }

    /// Returns the type, the size and the files of the body.
    ///
    /// One file is described as in a form:
    /// `<file "a.png", image/png, 1,234 bytes>`.
    fileprivate func placeholder(contentType: String?, redacting redaction: Redaction) -> String {
        let whole = redaction.placeholder(size: byteCount(size), contentType: contentType)
        let names = files.map { redaction.text($0.url.lastPathComponent).debugDescription }
        if segments.count == 1, let name = names.first {
            return "<file \(name), \(whole.dropFirst())"
        }
        let list = zip(names, files).map { "\($0) (\(byteCount($1.size)))" }
        return "\(whole.dropLast()), files: \(list.joined(separator: ", "))>"
    }
}
