import APIKitLite
import Foundation

extension HTTPArchive {
    /// Returns the archive without secrets, and the redaction, extended to hide the random-looking
    /// secrets everywhere.
    func redacted(_ redaction: Redaction) -> (HTTPArchive, Redaction) {
        if redaction == .none { return (self, redaction) }
        let redaction = redaction.hidingEnvironment.numbering(after: lastMark)
        let (named, secrets) = walked(redaction)
        let all = redaction.hidingRandomValues(secrets)
        return (all == redaction ? named : named.walked(all).0, all)
    }

    /// The highest number of any mark, such as `REDACTED-1`, in the archive; 0 if there are no
    /// marks. Rewriting a file preserves its marks.
    private var lastMark: Int {
        flatMap { exchange in
            let url = exchange.request.url?.absoluteString ?? ""
            // Splitting a body is slow, and most bodies have no marks.
            let bodies = [exchange.request.httpBody ?? Data(), exchange.body]
                .filter { $0.range(of: Data(Redaction.mark.utf8)) != nil }
            return [url] + bodies.map { String(decoding: $0, as: UTF8.self) }
                + (exchange.request.allHTTPHeaderFields ?? [:]).values
                + (exchange.response?.headerFields ?? [:]).values
        }.flatMap(\.splitAtMarks.numbers).max() ?? 0
    }

    /// Searches the archive once, and returns it without secrets, together with the secrets that
    /// were found by their names or as user info.
    private func walked(_ redaction: Redaction) -> (HTTPArchive, [String]) {
        var walk = SecretWalk(redaction)
        let archive = HTTPArchive(map { $0.redacted(by: &walk) })
        return (archive, walk.secrets)
    }

    /// Returns the places where bodies that are not text contain a secret.
    func binaryBodies(_ redaction: Redaction) -> [String] {
        flatMap { exchange in
            let bodies = [
                ("body", exchange.request.httpBody ?? Data()),
                ("body of the response", exchange.body),
            ]
            let place = exchange.place.map { "entry \($0.number)," } ?? "\(exchange):"
            return bodies.filter { redaction.hidesBytes($1) }.map { "\(place) \($0.0)" }
        }
    }
}

extension HTTPArchive.Exchange {
    fileprivate func redacted(by walk: inout SecretWalk) -> Self {
        var exchange = self
        exchange.request = walk.request(request)
        if let error, let text = error.userInfo[NSLocalizedDescriptionKey] as? String {
            let userInfo = [NSLocalizedDescriptionKey: walk.text(text)]
            exchange.error = URLError(error.code, userInfo: userInfo)
        }
        guard let response else { return exchange }
        let type = response.value(forHTTPHeaderField: "Content-Type")
        let old = body
        let new = walk.body(old, contentType: type, isCut: error != nil || wasCancelled)
        var fields = response.headerFields
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            let isLength = name.lowercased() == "content-length" && value == "\(old.count)"
            fields[name] = isLength ? "\(new.count)" : walk.header(name, value)
        }
        let url = walk.request(URLRequest(url: response.url!)).url ?? response.url!
        exchange.response = .http(url, response.statusCode, fields)
        if new == old { return exchange }
        exchange.pieces = lines.flatMap { line in
            let text = line.map(\.data).joined
            let shown = walk.body(text, contentType: type)
            return shown == text ? line : [SentPiece(data: shown, time: line[line.count - 1].time)]
        }
        // The pieces above were redacted line by line, but a secret may be cut at the end of the
        // body or, in text other than a stream, span several lines.
        if exchange.body != new { exchange.body = new }
        return exchange
    }

    /// The pieces in groups, each of which ends with a line break or with the last piece.
    private var lines: [[SentPiece]] {
        var lines: [[SentPiece]] = [[]]
        for piece in pieces {
            lines[lines.count - 1].append(piece)
            if piece.data.last == UInt8(ascii: "\n") { lines.append([]) }
        }
        return lines.filter { !$0.isEmpty }
    }
}

extension Redaction {
    /// The redaction, extended to the random-looking values of environment variables with secret
    /// names. A server may send such a value back under another name.
    var hidingEnvironment: Redaction {
        // `PWD` is the working directory, not a password.
        let secrets = ProcessInfo.processInfo.environment
            .filter { $0.key != "PWD" && Redaction.standard.hides($0.key, $0.value) }
        return hidingRandomValues(Array(secrets.values))
    }

    /// Returns whether binary data contains a secret. Each byte counts as a character.
    fileprivate func hidesBytes(_ bytes: Data) -> Bool {
        guard exactText(bytes) == nil || bytes.contains(0),
            let text = String(data: bytes, encoding: .isoLatin1)
        else { return false }
        return self.text(text) != text
    }
}
