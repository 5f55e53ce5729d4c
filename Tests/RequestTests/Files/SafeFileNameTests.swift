import APIKitLite
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct SafeFileNameTests {
    private func name(
        _ disposition: String?, url: String = "https://example.com/files/a%20b.zip?x=1"
    ) throws -> String {
        let url = try #require(URL(string: url))
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil,
                headerFields: disposition.map { ["Content-Disposition": $0] }))
        return response.safeFileName
    }

    @Test(arguments: [
        // RFC 6266, section 5
        ("Attachment; filename=example.html", "example.html"),
        ("INLINE; FILENAME= \"an example.html\"", "an example.html"),
        ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"),
        ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
        ("attachment; filename*=utf-8'en'%e2%82%ac.txt; filename=\"rates.txt\"", "€.txt"),
        // An extended value that cannot be read
        ("attachment; filename=\"a.txt\"; filename*=iso-8859-1''%A3.txt", "a.txt"),
        ("attachment; filename=\"a.txt\"; filename*=utf-8''%FF", "a.txt"),
        ("attachment; filename=\"a.txt\"; filename*=b.txt", "a.txt"),
        ("attachment; filename*=utf-8''%zz", "a b.zip"),
        // Out of the folder
        ("attachment; filename=\"../../etc/passwd\"", "passwd"),
        ("attachment; filename=\"/etc/passwd\"", "passwd"),
        ("attachment; filename*=utf-8''..%2F..%2Fa", "a"),
        (#"attachment; filename="C:\windows\a.exe""#, "a.exe"),
        ("attachment; filename=\"..\"", "a b.zip"), ("attachment; filename=.", "a b.zip"),
        ("attachment; filename=\"a/\"", "a b.zip"), ("attachment; filename=\"a/..\"", "a b.zip"),
        ("attachment; filename=\"\"", "a b.zip"), ("attachment; filename=\" \"", "a b.zip"),
        // Hidden, or with a misleading name
        ("attachment; filename=.bashrc", "bashrc"), ("attachment; filename=\"...a\"", "a"),
        ("attachment; filename*=utf-8''.%CC%81rc", "rc"),
        ("attachment; filename*=utf-8''%EF%B8%8F.%EF%B8%8Frc", "rc"),
        ("attachment; filename*=utf-8''e%CC%81.txt", "e\u{301}.txt"),
        ("attachment; filename=\"a.txt. .\"", "a.txt"),
        ("attachment; filename*=utf-8''a%E2%80%AEgpj.exe", "agpj.exe"),
        ("attachment; filename*=utf-8''a%00.txt%0A", "a.txt"),
        ("attachment; filename*=utf-8''%7F%1F", "a b.zip"),
        ("attachment; filename=\"a:b*c?d<e>f|g\"", "a_b_c_d_e_f_g"),
        (#"attachment; filename="a\"b.txt""#, "a_b.txt"),
        (#"attachment; filename="a\";b.html""#, "a_;b.html"),
        (#"attachment; foo="\"\\";filename="foo.html""#, "foo.html"),
        // No name
        ("attachment", "a b.zip"), ("", "a b.zip"), ("attachment; name=b", "a b.zip"),
    ])
    func namesTheFile(_ disposition: String, _ expected: String) throws {
        #expect(try name(disposition) == expected)
    }

    @Test(arguments: [
        ("https://example.com/a.zip", "a.zip"), ("https://example.com/a.zip/", "a.zip"),
        ("https://example.com/", "download"), ("https://example.com", "download"),
        ("https://example.com/a/%2e%2e%2fb", "b"), ("https://example.com/%2e%2e", "download"),
        ("https://example.com/a%5Cb.txt", "b.txt"), ("https://example.com/caf%C3%A9", "café"),
    ])
    func fallsBackToTheURL(_ url: String, _ expected: String) throws {
        #expect(try name(nil, url: url) == expected)
    }

    @Test(arguments: ["a", "é", "👨‍👩‍👧", "e\u{301}"])
    func shortensALongName(_ character: String) throws {
        let long = String(repeating: character, count: 400)
        for (suffix, isKept) in [
            (".tar", true), ("", true), ("." + String(repeating: "x", count: 300), false),
        ] {
            let encoded = try #require(
                (long + suffix).addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let name = try name("attachment; filename*=utf-8''\(encoded)")
            #expect(name.utf8.count <= 240)
            #expect(name.utf8.count > 200)
            #expect(!isKept || name.hasSuffix(suffix))
        }
    }

    @Test func shortensOneLongCharacter() throws {
        let marks = String(repeating: "%CC%81", count: 1_000)
        #expect(try name("attachment; filename*=utf-8''e\(marks).txt") == "download.txt")
    }
}
