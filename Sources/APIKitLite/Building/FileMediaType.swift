import Foundation

/// Returns the media type of a file from the extension of its name.
///
/// The types are registered with IANA. Linux has no `UniformTypeIdentifiers`, and a
/// request must not differ between platforms. For an extension that is not in this list, returns
/// `application/octet-stream`, which RFC 9110 (section 8.3) means by an unknown type.
package func mediaType(ofFile url: URL) -> String {
    mediaTypes[url.pathExtension.lowercased()] ?? "application/octet-stream"
}

private let mediaTypes = table(
    """
    aac audio/aac, avif image/avif, bmp image/bmp, css text/css, csv text/csv,
    docx application/vnd.openxmlformats-officedocument.wordprocessingml.document,
    epub application/epub+zip, gif image/gif, gz application/gzip, heic image/heic,
    htm text/html, html text/html, ics text/calendar, jpeg image/jpeg, jpg image/jpeg,
    js text/javascript, json application/json, m4a audio/mp4, m4v video/mp4, md text/markdown,
    mov video/quicktime, mp3 audio/mpeg, mp4 video/mp4, ogg audio/ogg, pdf application/pdf,
    png image/png,
    pptx application/vnd.openxmlformats-officedocument.presentationml.presentation,
    svg image/svg+xml, tif image/tiff, tiff image/tiff, txt text/plain, vcf text/vcard,
    webm video/webm, webp image/webp,
    xlsx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet,
    xml application/xml, zip application/zip
    """)
