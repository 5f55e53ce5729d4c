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
    /// - begins with `_` if it would name a device of Windows, such as `NUL.txt`,
    /// - ends with `_` if it would name the part of another download,
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
/// - Returns: The text, or `nil` if the value is malformed or has another charset than UTF-8, which
///   is the only one that RFC 8187 still allows to send.
private func decodedExtendedValue(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
    return String(parts[2]).removingPercentEncoding
}

/// Returns a name in the form that `safeFileName` describes, or `nil` if nothing is left of it.
private func fileName(_ text: String) -> String? {
    let reserved = Set<Unicode.Scalar>(":*?\"<>|".unicodeScalars)
    var name = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case _ where scalar == "/" || scalar == "\\": name.removeAll()
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            break
        default: name.append(reserved.contains(scalar) ? "_" : scalar)
        }
    }
    // By scalars: a dot with a combining mark is another character, and still hides the file.
    name.removeFirst(name.prefix(while: { isBlank($0) || isMark($0) }).count)
    var result = shortened(String(name))
    while let last = result.unicodeScalars.last, isBlank(last) {
        result.unicodeScalars.removeLast()
    }
    if result.isEmpty { return nil }
    if isDevice(result) { result = "_" + result }
    return PartFile.isCompanion(result) ? result + "_" : result
}

/// Whether a scalar is removed from both ends of a name.
private func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "." || scalar.properties.isWhitespace
}

/// Whether a scalar is a mark on the one before it.
private func isMark(_ scalar: Unicode.Scalar) -> Bool {
    [.nonspacingMark, .spacingMark, .enclosingMark].contains(scalar.properties.generalCategory)
}

/// Whether Windows opens a device under this name, with any extension.
private func isDevice(_ name: String) -> Bool {
    let stem = String(name.unicodeScalars.prefix { $0 != "." }).uppercased()
        .trimmingCharacters(in: .whitespaces)
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(stem) { return true }
    return stem.count == 4 && (stem.hasPrefix("COM") || stem.hasPrefix("LPT"))
        && "0123456789¹²³".contains(stem.last ?? " ")
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
    var count = suffix.utf8.count
    let kept = stem.prefix { character in
        count += character.utf8.count
        return count <= 238
    }
    // One character may have hundreds of combining marks.
    return String((kept.isEmpty && !stem.isEmpty ? "download" : kept) + suffix)
}
