import APIKitLite
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct LinkHeaderTests {
    private let base = URL(string: "https://api.example.com/v1/users?page=1")!

    /// `rel rel>URL`, separated by spaces and bars.
    private func summary(_ text: String) -> String {
        LinkHeader(text, relativeTo: base).links.map { link in
            link.relations.joined(separator: " ") + ">" + link.url.absoluteString
        }.joined(separator: " | ")
    }

    @Test func reads() {
        let rows: [(String, String)] = [
            // As GitHub writes it.
            (
                #"<https://x.example/r?page=2>; rel="next", <https://x.example/r?page=9>; rel="last""#,
                "next>https://x.example/r?page=2 | last>https://x.example/r?page=9"
            ),
            ("<https://x.example/>;rel=next", "next>https://x.example/"),
            (#"<https://x.example/> ; rel = "next" "#, "next>https://x.example/"),
            (#"<https://x.example/>; REL="NEXT""#, "next>https://x.example/"),
            (#"<https://x.example/>; rel="next  Prev""#, "next prev>https://x.example/"),
            (
                #"<https://x.example/>; rel="next https://rels.example/Extra""#,
                "next https://rels.example/Extra>https://x.example/"
            ),
            // Relative to the response.
            (#"</users?page=2>; rel="next""#, "next>https://api.example.com/users?page=2"),
            (
                #"</users?f[a]=x%20y>; rel="next""#,
                "next>https://api.example.com/users?f%5Ba%5D=x%20y"
            ),
            (#"<?page=2>; rel="next""#, "next>https://api.example.com/v1/users?page=2"),
            (#"<../a>; rel="up""#, "up>https://api.example.com/a"),
            (#"<//x.example/a>; rel="next""#, "next>https://x.example/a"),
            (#"<>; rel="self""#, "self>https://api.example.com/v1/users?page=1"),
            (#"< /a >; rel="next""#, "next>https://api.example.com/a"),
            // Commas, semicolons and brackets where they do not separate.
            (
                #"<https://x.example/a,b;c>; title="a, <b>; rel=\"no\""; rel=next, </d>; rel=last"#,
                "next>https://x.example/a,b;c | last>https://api.example.com/d"
            ),
            // The first rel counts.
            (#"</a>; rel="next"; rel="prev""#, "next>https://api.example.com/a"),
            // Without rel.
            ("</a>", ">https://api.example.com/a"),
            ("</a>; title=x", ">https://api.example.com/a"),
            (#"</a>; rel="""#, ">https://api.example.com/a"),
            ("</a>; rel", ">https://api.example.com/a"),
            // Empty elements.
            (", ,</a>; rel=next,,", "next>https://api.example.com/a"),
            ("</a>;; ;rel=next;", "next>https://api.example.com/a"),
            // What is no link is passed over.
            ("", ""), (",", ""), ("   ", ""), ("nonsense", ""), ("<", ""),
            ("<https://x.example/", ""),
            ("https://x.example/; rel=next, </a>; rel=last", "last>https://api.example.com/a"),
            (#"x="a, </no>; rel=next", </a>; rel=last"#, "last>https://api.example.com/a"),
            (#"rel="next"; </a>"#, ""),
            (#"</a>; rel="next, </b>; rel=last"#, "next, </b>; rel=last>https://api.example.com/a"),
            (#"</a>; rel=next junk"#, "next junk>https://api.example.com/a"),
            (#"</a>; rel="next"junk; title=x"#, "next>https://api.example.com/a"),
            (#"</a> junk; rel=next"#, "next>https://api.example.com/a"),
            (#"</a>; =x; rel=next"#, "next>https://api.example.com/a"),
            (#"</a>; rel="ne\xt\"#, #"next\>https://api.example.com/a"#),
            (
                "</a>; rel=next\t,\t</b>; rel=last",
                "next>https://api.example.com/a | last>https://api.example.com/b"
            ),
            ("</é>; rel=next", "next>https://api.example.com/%C3%A9"),
            ("<https://[x>; rel=next, </b>; rel=last", "last>https://api.example.com/b"),
        ]
        for (text, expected) in rows {
            #expect(summary(text) == expected, "\(text)")
        }
    }

    @Test func keepsTheParameters() {
        let links = LinkHeader(
            #"</a>; rel=next; Title="A \"b\""; title="no"; hreflang=de; flag; title*=UTF-8''x"#)

        #expect(
            links.links.first?.parameters == [
                "rel": "next", "title": #"A "b""#, "hreflang": "de", "flag": "",
                "title*": "UTF-8''x",
            ])
        #expect(links.links.first?.url.relativeString == "/a")
    }

    @Test func findsTheFirstLinkOfARelation() {
        let links = LinkHeader(
            #"</other>; rel=next; anchor="/b", </a>; rel="prev next", </c>; rel=next"#,
            relativeTo: base)

        #expect(links["next"]?.path == "/a")
        #expect(links["Prev"]?.path == "/a")
        #expect(links["last"] == nil)
    }

    @Test(arguments: [
        (#"</users?page=2>; rel="next""#, "https://api.example.com/users?page=2"), (nil, nil),
    ])
    func areReadFromAResponse(_ header: String?, _ next: String?) {
        let response = HTTPURLResponse(
            url: base, statusCode: 200, httpVersion: nil,
            headerFields: header.map { ["link": $0] })!

        #expect(response.links["next"]?.absoluteString == next)
    }

    @Test func readsAnythingToItsEnd() {
        var random = SeededGenerator(seed: 8288)
        let pieces = ["<", ">", ";", ",", "=", "\"", "\\", " ", "rel", "next", "/a", "é", "\0"]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0..<20, using: &random))
                .map { _ in pieces.randomElement(using: &random)! }.joined()

            let links = LinkHeader(text, relativeTo: base).links

            #expect(links.count <= text.count { $0 == "<" })
        }
    }
}
