/// Finds JSON Web Tokens, private keys in PEM (RFC 7468), and the tokens of GitHub, GitLab, npm,
/// Stripe, OpenAI, Slack, AWS, SendGrid and Google by their shapes.
enum TokenShape {
    private static let prefixes = words(
        """
        ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- npm_ sk_live_ rk_live_ sk- xoxa- xoxb- xoxe- xoxp-
        xoxr- xoxs- xapp- AKIA ASIA SG. AIza eyJ
        """)
    /// The lengths of tokens whose prefixes are also common in Base64.
    private static let lengths: [String: Int] = ["AKIA": 20, "ASIA": 20, "AIza": 39]
    private static let isInToken = byteTable(alphanumerics + "-._")

    /// Returns the text with its tokens replaced.
    static func hiding(in text: String, by mark: (String) -> String) -> String {
        guard text.utf8.count >= 20 else { return text }
        let text = hidingPrivateKeys(in: text, by: mark)
        let runs = text.utf8.split { !isInToken[Int($0)] }.map { run in
            // A period at the end belongs to a sentence, not to the token.
            Substring(run.last == UInt8(ascii: ".") ? run.dropLast() : run)
        }.filter { run in
            run.utf8.count >= 20 && run.utf8.contains { 0x30...0x39 ~= $0 }
                && prefixes.contains(where: run.hasPrefix)
                && lengths[String(run.prefix(4))].map { run.utf8.count == $0 } ?? true
                && (!run.hasPrefix("eyJ") || run.utf8.contains(UInt8(ascii: ".")))
        }
        return runs.isEmpty ? text : text.replacing(runs) { mark(String($0)) }
    }

    /// Returns the token at the end of a text, even an incomplete token, and where it begins.
    /// Returns nil if there is no such token.
    static func cutToken(in text: String) -> (start: Int, value: String)? {
        let bytes = Array(text.utf8)
        let start = bytes.lastIndex { !isInToken[Int($0)] }.map { $0 + 1 } ?? 0
        let token = String(decoding: bytes[start...], as: UTF8.self)
        return prefixes.contains(where: token.hasPrefix) ? (start, token) : nil
    }

    /// Replaces private keys, even a key whose end is missing.
    private static func hidingPrivateKeys(
        in text: String, by mark: (String) -> String
    ) -> String {
        guard text.contains("-----BEGIN ") else { return text }
        let key = /-----BEGIN [A-Z ]*PRIVATE KEY.*?(?:-----END [A-Z ]*-----|$)/.dotMatchesNewlines()
        return text.replacing(key) { mark(String($0.output)) }
    }
}
