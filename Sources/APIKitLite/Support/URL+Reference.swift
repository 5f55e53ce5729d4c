import Foundation

extension URL {
    /// Creates a URL from a reference as a peer wrote it (RFC 3986, section 4.1), which may lack
    /// escapes.
    ///
    /// Foundation escapes such characters too, but then it also escapes each `%` of the text again:
    /// `/a|b%20c` would become `/a%7Cb%2520c`. Before macOS 14 and iOS 17, it accepts no such text.
    package init?(reference text: String, relativeTo base: URL? = nil) {
        self.init(string: PercentEncoding.completingReference(text), relativeTo: base)
    }
}
