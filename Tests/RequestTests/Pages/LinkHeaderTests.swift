import TestSupport

@testable import APIKitLite

@Suite(.limited) struct LinkHeaderTests {
    private let base = URL(string: "https://api.example.com/v1/users?page=1")!

    /// `relation>URL` for each relation, separated by bars.
    private func summary(_ text: String) -> String {
        ["next", "prev", "up", "self", "last", "https://rels.example/Extra"]
            .compactMap { relation in
                linkTarget(relation, of: text, relativeTo: base)
                    .map { "\(relation)>\($0.absoluteString)" }
            }.joined(separator: " | ")
    }

    /// In quadratic time, the escaped quotation marks would take many minutes.
    @Test(.timeLimit(.minutes(2)), arguments: ["</a>;", "</a>;a=\"b\";"])
    func readsALongHeaderOfEscapedQuotationMarks(_ start: String) {
        let text = start + String(repeating: #"a="\";"#, count: 20_000)

        #expect(linkTarget("next", of: text, relativeTo: base) == nil)
        #expect(linkTarget("next", of: text + #""; rel=next"#, relativeTo: base)?.path == "/a")
        #expect(linkTarget("next", of: "</b>;rel=next," + text, relativeTo: base)?.path == "/b")
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
            (
                #"<https://x.example/>; rel="next  Prev""#,
                "next>https://x.example/ | prev>https://x.example/"
            ),
            (
                #"<https://x.example/>; rel="next https://rels.example/Extra""#,
                "next>https://x.example/ | https://rels.example/Extra>https://x.example/"
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
            ("</a>", ""), ("</a>; title=x", ""), (#"</a>; rel="""#, ""), ("</a>; rel", ""),
            // Empty elements.
            (", ,</a>; rel=next,,", "next>https://api.example.com/a"),
            ("</a>;; ;rel=next;", "next>https://api.example.com/a"),
            // Text that is not a link is ignored.
            ("", ""), (",", ""), ("   ", ""), ("nonsense", ""), ("<", ""),
            ("<https://x.example/", ""),
            ("https://x.example/; rel=next, </a>; rel=last", "last>https://api.example.com/a"),
            (#"x="a, </no>; rel=next", </a>; rel=last"#, "last>https://api.example.com/a"),
            (#"rel="next"; </a>"#, ""),
            (#"</a>; rel="prev next, </b>; rel=last"#, "prev>https://api.example.com/a"),
            (#"</a>; rel=next junk"#, "next>https://api.example.com/a"),
            (#"</a> junk; rel=next"#, "next>https://api.example.com/a"),
            (#"</a>; =x; rel=next"#, "next>https://api.example.com/a"),
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

    @Test func findsTheFirstLinkOfARelation() {
        let header = #"</other>; rel=next; anchor="/b", </a>; rel="prev next", </c>; rel=next"#

        #expect(linkTarget("next", of: header, relativeTo: base)?.path == "/a")
        #expect(linkTarget("Prev", of: header, relativeTo: base)?.path == "/a")
        #expect(linkTarget("last", of: header, relativeTo: base) == nil)
    }

    @Test(arguments: [
        (#"</users?page=2>; rel="next""#, "https://api.example.com/users?page=2"), (nil, nil),
    ])
    func areReadFromAResponse(_ header: String?, _ next: String?) {
        let response = HTTPURLResponse(
            url: base, statusCode: 200, httpVersion: nil,
            headerFields: header.map { ["link": $0] })!

        #expect(response.link("next")?.absoluteString == next)
    }

    @Test func readsAnythingToItsEnd() {
        var random = SeededGenerator(seed: 8288)
        let pieces = ["<", ">", ";", ",", "=", "\"", "\\", " ", "rel", "next", "/a", "é", "\0"]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0..<20, using: &random))
                .map { _ in pieces.randomElement(using: &random)! }.joined()

            #expect(
                linkTarget("rel", of: text, relativeTo: base) == nil || text.contains("<"))
        }
    }
}
