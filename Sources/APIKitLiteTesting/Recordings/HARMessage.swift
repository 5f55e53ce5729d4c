import APIKitLite
import Foundation

/// A request or a response in an archive's file.
struct HARMessage {
    /// The headers by name. The values of a repeated header are joined.
    let headers: [String: String]
    /// The body, which may be in another file.
    let content: HARValue
    private let fields: [HARField]
    private let params: [HARField]
    private let text: String?
    /// `base64` if the text is the body in Base64.
    private let encoding: String
    private let mimeType: String
    /// The body's size in bytes, if the file contains it.
    private let size: Double?

    init(_ message: HARValue, body: String) throws {
        fields = try message["headers"].list.map(HARField.init)
        headers = HARField.byName(fields)
        content = try message[body]
        params = try content["params"].list.map(HARField.init)
        text = try content["text"].text
        // HAR 1.2 has no field for the encoding of a request.
        encoding = try (content["encoding"].text ?? content["_encoding"].text ?? "").lowercased()
        mimeType = try content["mimeType"].text ?? ""
        let length = fields.first { $0.name.lowercased() == "content-length" }?.value
        size = try [
            content["size"].number, message["bodySize"].number, length.flatMap { Double($0) },
        ].compactMap(\.self).first { $0 >= 0 }
    }

    /// Returns why the headers cannot be sent, or nil if they can.
    func headerGap(_ noun: String) -> String? {
        fields.first(where: \.isUnusable).map { field in
            "the header \(field.name.debugDescription) of its \(noun) has no value, or one that "
                + "cannot be sent"
        }
    }

    /// Returns why the body cannot be read, or nil if it can.
    func bodyGap(_ noun: String, isNeeded: Bool) throws -> String? {
        switch try content["text"].json {
        case nil, .null, .string: break
        default: return "\(noun) is not text"
        }
        if hasText, !["", "base64", "utf8", "utf-8"].contains(encoding) {
            return "\(noun) has the encoding \(encoding.debugDescription)"
        }
        let isMultipart = mimeType.lowercased().hasPrefix("multipart/")
        let isWrong = params.contains { field in
            field.name.isEmpty || field.value == nil && (isMultipart || field.fileName != nil)
        }
        if isForm, isWrong { return "\(noun) has a field without a name or a value" }
        // A file may state the size of a body without containing the body.
        let isMissing = try !hasText && !isForm && content["_file"].text == nil && size ?? 0 > 0
        return isNeeded && isMissing ? "\(noun) is not in the file" : nil
    }

    private var hasText: Bool { text?.isEmpty == false }

    /// Whether the body is in `params`.
    private var isForm: Bool { !hasText && !params.isEmpty }

    /// The media type of a body without a `Content-Type`; nil if the file does not contain one.
    var mediaType: String? {
        let isKnown = mimeType.contains("/") && !mimeType.contains("x-unknown")
        return isKnown && mimeType.utf8.isHTTPFieldValue ? mimeType : nil
    }

    /// Returns the parts of a form with files, or nil for any other body.
    func parts(_ contentType: String?) -> [MultipartPart]? {
        guard isForm, APIKitLite.mediaType(contentType) == "multipart/form-data" else { return nil }
        return params.map { field in
            MultipartPart(
                name: field.name, data: Data((field.value ?? "").utf8), fileName: field.fileName,
                contentType: field.contentType)
        }
    }

    /// Returns the body's bytes, from the text or the form.
    func data() throws -> Data {
        if isForm {
            let fields = params.map { field in
                [field.name, field.value].compactMap { $0.map { PercentEncoding.form.encode($0) } }
                    .joined(separator: "=")
            }
            return Data(fields.joined(separator: "&").utf8)
        }
        guard encoding == "base64", let text else { return Data((text ?? "").utf8) }
        // Decoded as it is first, because line breaks are rare, and searching for one takes longer
        // than decoding.
        let data =
            Data(base64Encoded: text) ?? Data(base64Encoded: text.filter { !$0.isWhitespace })
        guard let data else { throw try content["text"].error("is not base64") }
        return data
    }

    /// Returns the name of the file beside the archive that contains the body, or nil.
    func fileName() throws -> String? {
        guard text == nil, let name = try content["_file"].text else { return nil }
        // A name without a slash cannot point outside the folder.
        if name.contains("/") {
            throw try content["_file"].error("is not a file beside the archive")
        }
        return name
    }
}
