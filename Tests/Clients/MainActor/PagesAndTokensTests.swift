import APIKitLite
import APIKitLiteTesting
import TestSupport

@Suite(.limited, .usesSockets) struct PagesAndTokensTests {
    let network = MockNetwork()
    let drawer = TokenDrawer(SessionToken(access: "old", refresh: "r0"))
    let library: Library

    init() {
        library = Library(
            baseURL: URL(string: "https://books.example.com")!,
            drawer: drawer, wire: network)
        network.stub(.get("/shelf"), .status(401), times: .any)
        let shelf = RequestMatcher.get("/shelf").header("Authorization", "Bearer new")
        network.stub(shelf, .json(encoding: [Book]()), times: .any)
        network.stub(
            shelf.query(["page": "1"]), .json(encoding: [Book(title: "Emma")]), times: .any)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func renewsItsTokenAndLoadsAllPages() async {
        network.stub(.post("/token"), .json(encoding: SessionToken(access: "new", refresh: "r1")))

        await library.load()
        await library.loadPageByPage()

        #expect(library.books == [Book(title: "Emma"), Book(title: "Emma")])
        #expect(library.token == SessionToken(access: "new", refresh: "r1"))
        #expect(drawer.token == library.token)
        #expect(library.message == nil)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func signsOutWhereTheTokenCannotBeRenewed() async {
        network.stub(.post("/token"), .status(400))

        await library.load()

        #expect(library.isSignedOut)
        #expect(library.token == nil)
        await library.settle()
        #expect(drawer.token == nil)
        #expect(library.message == "The server responded with 401 (Unauthorized).")
    }
}
