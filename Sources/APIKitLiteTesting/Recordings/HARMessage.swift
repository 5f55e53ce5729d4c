import APIKitLite
import Foundation

/// A request or an answer in the file of an archive.
struct HARMessage {
    /// The headers by their names. The values of a repeated one are joined.
    let headers: [String: String]
    /// The body, which may be in another file.
    let content: HARValue
    private let fields: [HARField]
    private let params: [HARField]
    private let text: String?
    /// `base64` if the text is not the body itself.
    private let encoding: String
    private let mimeType: String
    /// The number of bytes of the body, if the file says it.
    private let size: Double?

    init(_ message: HARValue, body: String) throws {
        fields = try message["headers"].list.map(HARField.init)
        headers = HARField.byName(fields)
        content = try message[body]
        params = try content["params"].list.map(HARField.init)
        text = try content["text"].text
        // HAR 1.2 has no place for the encoding of a request.
        encoding = try (content["encoding"].text ?? content["_encoding"].text ?? "").lowercased()
        mimeType = try content["mimeType"].text ?? ""
        let length = fields.first { $0.name.lowercased() == "content-length" }?.value
        size = try [
            content["size"].number, message["bodySize"].number, length.flatMap { Double($0) },
        ].compactMap(\.self).first { $0 >= 0 }
    }

    /// Why the headers cannot be sent; nil if they can be.
    func headerGap(_ noun: String) -> String? {
        fields.first(where: \.isUnusable).map { field in
            "the header \(field.name.debugDescription) of its \(noun) has no value, or one that "
                + "cannot be sent"
        }
    }

    /// Why the body cannot be read; nil if it can be.
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
        // The file may say only that there is a body.
        let isMissing = try !hasText && !isForm && content["_file"].text == nil && size ?? 0 > 0
        return isNeeded && isMissing ? "\(noun) is not in the file" : nil
    }

    private var hasText: Bool { text?.isEmpty == false }

    /// Whether the body is in `params`.
    private var isForm: Bool { !hasText && !params.isEmpty }

    /// The type, for a body without a `Content-Type`; nil if the file has none.
    var mediaType: String? {
        let isKnown = mimeType.contains("/") && !mimeType.contains("x-unknown")
        return isKnown && mimeType.utf8.isHTTPFieldValue ? mimeType : nil
    }

    /// The parts of a form with files; nil for another body.
    func parts(_ contentType: String?) -> [MultipartPart]? {
        guard isForm, APIKitLite.mediaType(contentType) == "multipart/form-data" else { return nil }
        return params.map { field in
            MultipartPart(
                name: field.name, data: Data((field.value ?? "").utf8), fileName: field.fileName,
                contentType: field.contentType)
        }
    }

    /// The bytes of the text or of the form.
    func data() throws -> Data {
        if isForm {
            let fields = params.map { field in
                [field.name, field.value].compactMap { $0.map { PercentEncoding.form.encode($0) } }
                    .joined(separator: "=")
            }
            return Data(fields.joined(separator: "&").utf8)
        }
        guard encoding == "base64", let text else { return Data((text ?? "").utf8) }
        // A line break is rare, and a search for it takes longer than the decoding.
        let data =
            Data(base64Encoded: text) ?? Data(base64Encoded: text.filter { !$0.isWhitespace })
        guard let data else { throw try content["text"].error("is not base64") }
        return data
    }

    /// The name of the file beside the archive that has the body; nil if there is none.
    func fileName() throws -> String? {
        guard text == nil, let name = try content["_file"].text else { return nil }
        // Without a slash, the name cannot lead out of the folder.
        if name.contains("/") {
            throw try content["_file"].error("is not a file beside the archive")
        }
        return name
    }
}
