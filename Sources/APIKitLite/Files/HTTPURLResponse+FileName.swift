import Foundation

extension HTTPURLResponse {
    /// A name for the file in the body, which cannot leave the folder that it is appended to.
    ///
    /// It is the `filename*` or `filename` of `Content-Disposition` (RFC 6266), otherwise the last
    /// component of the URL, otherwise `download`. Foundation's own `suggestedFilename` may have
    /// any characters. This one
    /// - has only what follows the last `/` or `\`,
    /// - has no control and formatting characters, such as those that reverse a text,
    /// - has `_` in place of `: * ? " < > |`,
    /// - has no leading dots and spaces, so that the file is not hidden, and no trailing ones,
    /// - has at most 240 bytes of UTF-8 without losing its extension.
    ///
    /// Two responses may have the same name. An existing file is replaced by a download.
    public var safeFileName: String {
        let disposition = field("Content-Disposition") ?? ""
        let candidates = [
            headerParameter("filename*", of: disposition).flatMap(decodedExtendedValue),
            headerParameter("filename", of: disposition), url?.lastPathComponent,
        ]
        return candidates.lazy.compactMap { $0.flatMap(fileName) }.first ?? "download"
    }
}

/// Returns the text of an extended value, such as `UTF-8'en'%e2%82%ac` (RFC 8187, section 3.2.1).
///
/// - Returns: The text, or nil if the value is malformed or has another charset than UTF-8, which
///   is the only one that RFC 8187 still allows to send.
private func decodedExtendedValue(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
    return String(parts[2]).removingPercentEncoding
}

/// Returns a name in the form that `safeFileName` describes, or nil if nothing is left of it.
private func fileName(_ text: String) -> String? {
    let removed = CharacterSet.controlCharacters.union(.newlines)
    let reserved = CharacterSet(charactersIn: ":*?\"<>|")
    let blank = CharacterSet.whitespaces.union(["."])
    // A mark after a dot hides the file, too.
    let hiding = blank.union(.nonBaseCharacters)
    let last = text.components(separatedBy: CharacterSet(charactersIn: "/\\")).last ?? ""
    let scalars = last.unicodeScalars.filter { !removed.contains($0) }.drop(while: hiding.contains)
    var name = String.UnicodeScalarView()
    for scalar in scalars { name.append(reserved.contains(scalar) ? "_" : scalar) }
    if name.isEmpty { return nil }
    name = shortened(String(name)).unicodeScalars
    while let last = name.last, blank.contains(last) { name.removeLast() }
    return String(name)
}

/// Returns a name with at most 238 bytes, which has the same extension if that is short.
///
/// File systems allow 255 bytes. The rest is for the suffixes of the part and its record.
private func shortened(_ name: String) -> String {
    var stem = name[...]
    var suffix = name[name.endIndex...]
    if let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 32 {
        (stem, suffix) = (name[..<dot], name[dot...])
    }
    while stem.utf8.count + suffix.utf8.count > 238 { stem.removeLast() }
    // One character may have hundreds of combining marks.
    return String((stem.isEmpty ? "download" : stem) + suffix)
}
