import APIKitLite
import Foundation

extension MultipartBody.Part {
    /// Returns the name and the content on one line, such as `title=x`.
    ///
    /// A file is shown as its name, type and size.
    func summary(limit: Int) -> String {
        "\(name)=\(fieldText?.excerpt(limit: limit) ?? placeholder)"
    }

    /// The name of the file, the type and the size: `<file "a.png", image/png, 1,234 bytes>`.
    var placeholder: String {
        let placeholder = Redaction.none.placeholder(for: data, contentType: contentType)
        guard let fileName else { return placeholder }
        return "<file \(fileName.debugDescription), \(placeholder.dropFirst())"
    }
}
