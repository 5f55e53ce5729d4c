import Foundation

/// Returns the media type for a file's extension.
///
/// The types are from IANA's list, or are what servers expect, such as `audio/wav`.
/// `UniformTypeIdentifiers` is not used: Linux lacks it, and Apple platforms would get other types.
/// For an unknown extension, returns `application/octet-stream` (RFC 9110, section 8.3).
package func fileMediaType(_ url: URL) -> String {
    mediaTypes[url.pathExtension.lowercased()] ?? "application/octet-stream"
}

/// The media types, keyed by extension. Each line of the text is a top-level type and its
/// extensions. An extension that differs from its subtype is followed by `=` and the subtype.
private let mediaTypes =
    """
    audio aac ac3 aif=aiff aiff amr caf=x-caf flac m4a=mp4 m4b=mp4 mid=midi mka=matroska mp3=mpeg
    audio mpga=mpeg oga=ogg ogg opus=ogg wav weba=webm wma=x-ms-wma
    video 3gp=3gpp avi=x-msvideo flv=x-flv m4v=mp4 mkv=matroska mov=quicktime mp4 mpeg mpg=mpeg
    video mts=mp2t ogv=ogg webm wmv=x-ms-wmv
    image apng avif bmp gif heic heif ico=vnd.microsoft.icon jfif=jpeg jpeg jpg=jpeg jxl png svg=svg+xml
    image psd=vnd.adobe.photoshop tif=tiff tiff webp
    text css csv htm=html html ics=calendar js=javascript md=markdown tsv=tab-separated-values txt=plain
    text vcf=vcard vtt
    application doc=msword epub=epub+zip gz=gzip json jsonl key=vnd.apple.keynote ndjson=x-ndjson
    application numbers=vnd.apple.numbers odp=vnd.oasis.opendocument.presentation
    application ods=vnd.oasis.opendocument.spreadsheet odt=vnd.oasis.opendocument.text
    application pages=vnd.apple.pages pdf ppt=vnd.ms-powerpoint rtf xls=vnd.ms-excel xml yaml yml=yaml zip
    application docx=vnd.openxmlformats-officedocument.wordprocessingml.document srt=x-subrip
    application pptx=vnd.openxmlformats-officedocument.presentationml.presentation
    application xlsx=vnd.openxmlformats-officedocument.spreadsheetml.sheet
    """.split(separator: "\n").reduce(into: [String: String]()) { types, line in
        let words = line.split(separator: " ")
        for (suffix, subtype) in words.dropFirst().map({ $0.cut(at: "=") }) {
            types[String(suffix)] = "\(words[0])/\(subtype ?? suffix)"
        }
    }
