import TestSupport

@testable import APIKitLite

@Suite(.limited) struct LinkHeaderTests {
    private let base = URL(string: "https://api.example.com/v1/users?page=1")!

    /// `relation>URL` for each relation, separated by bars, without the origin of the base.
    private func summary(_ text: String) -> String {
        ["next", "prev", "up", "self", "last", "https://rels.example/Extra"]
            .compactMap { relation in
                linkTarget(relation, of: text, relativeTo: base)
                    .map { "\(relation)>\($0.absoluteString)" }
            }.joined(separator: " | ").replacing("https://api.example.com", with: "")
    }

    /// In quadratic time, the escaped quotation marks would take many minutes.
    @Test(arguments: ["</a>;", "</a>;a=\"b\";"])
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
                #"<https://x/r?page=2>; rel="next", <https://x/r?page=9>; rel="last""#,
                "next>https://x/r?page=2 | last>https://x/r?page=9"
            ),
            ("<https://x/>;rel=next", "next>https://x/"),
            (#"<https://x/> ; rel = "next" "#, "next>https://x/"),
            (#"<https://x/>; REL="NEXT""#, "next>https://x/"),
            (#"<https://x/>; rel="next  Prev""#, "next>https://x/ | prev>https://x/"),
            (
                #"<https://x/>; rel="next https://rels.example/Extra""#,
                "next>https://x/ | https://rels.example/Extra>https://x/"
            ),
            // Relative to the response.
            (#"</users?page=2>; rel="next""#, "next>/users?page=2"),
            (#"</users?f[a]=x%20y>; rel="next""#, "next>/users?f%5Ba%5D=x%20y"),
            (#"<?page=2>; rel="next""#, "next>/v1/users?page=2"), (#"<../a>; rel="up""#, "up>/a"),
            (#"<//x/a>; rel="next""#, "next>https://x/a"),
            (#"<>; rel="self""#, "self>/v1/users?page=1"), (#"< /a >; rel="next""#, "next>/a"),
            // A backslash escapes nothing in an address.
            (#"</a\>; rel="next", </b>; rel="last""#, "next>/a%5C | last>/b"),
            // Commas, semicolons and brackets where they do not separate.
            (
                #"<https://x/a,b;c>; title="a, <b>; rel=\"no\""; rel=next, </d>; rel=last"#,
                "next>https://x/a,b;c | last>/d"
            ),
            // The first rel counts.
            (#"</a>; rel="next"; rel="prev""#, "next>/a"),
            // Without rel.
            ("</a>", ""), ("</a>; title=x", ""), (#"</a>; rel="""#, ""), ("</a>; rel", ""),
            // Empty elements.
            (", ,</a>; rel=next,,", "next>/a"), ("</a>;; ;rel=next;", "next>/a"),
            // Text that is not a link is ignored.
            ("", ""), (",", ""), ("   ", ""), ("nonsense", ""), ("<", ""), ("<https://x/", ""),
            ("https://x/; rel=next, </a>; rel=last", "last>/a"),
            (#"x="a, </no>; rel=next", </a>; rel=last"#, "last>/a"), (#"rel="next"; </a>"#, ""),
            (#"</a>; rel="prev next, </b>; rel=last"#, "prev>/a"),
            (#"</a>; rel=next junk"#, "next>/a"), (#"</a> junk; rel=next"#, "next>/a"),
            (#"</a>; =x; rel=next"#, "next>/a"),
            ("</a>; rel=next\t,\t</b>; rel=last", "next>/a | last>/b"),
            ("</é>; rel=next", "next>/%C3%A9"),
            ("<https://[x>; rel=next, </b>; rel=last", "last>/b"),
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

    @Test func tellsAListOfPagesThatALinkCannotBeRead() {
        let unreadable = [
            "<https://[x>; rel=next", #"https://x/?page=2; rel="next""#, "<https://x/; rel=next",
            #"https://x/; REL = "prev Next""#, "</a>; rel=last, https://x/;rel=next;title=x",
            #"</a>; rel="prev, </b>; rel=next"#, #"/anchors?page=2; rel="next""#,
            #"</other>; rel=next; anchor="/b", /c; rel=next"#, #"https://x/?ids=1,2; rel="next""#,
        ]
        let others = [
            "", "</a>; rel=next", "</a>; rel=prev", #"</b>; rel="next-archive""#, "nonsense, next",
            #"</other>; rel=next; anchor="/b""#, "https://[x; rel=prev", #"</a>; rel="nextish""#,
            "https://[x; rel=next, </a>; rel=next", #"/other; rel=next; anchor="/b""#,
            #"</a>; title="rel=next"; rel=last"#,
        ]
        for (headers, isUnreadable) in [(unreadable, true), (others, false)] {
            for text in headers {
                let response = HTTPURLResponse.status(200, headers: ["Link": text])
                let malformed = Locked<String?>(nil)
                _ = LinkHeader.$malformed.withValue(malformed) { response.link("NEXT") }
                #expect(malformed.take() == (isUnreadable ? text : nil))
            }
        }
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
