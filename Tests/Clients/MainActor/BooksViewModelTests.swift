import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct BooksViewModelTests {
    let network = MockNetwork()
    let model: BooksViewModel

    init() {
        model = BooksViewModel(
            baseURL: URL(string: "https://books.example.com")!, session: network.urlSession)
    }

    @Test func loadsUnannotatedModels() async throws {
        network.stub(.get("/books"), .json(encoding: [Book(title: "Emma")]))

        await model.search("emma")

        #expect(model.books == [Book(title: "Emma")])
        #expect(model.message == nil)
        #expect(network.requests.first?.query == ["q": "emma"])
        try network.verify()
    }

    @Test func parsesByDefault() async {
        network.stub(.get("/books/{id}")) { request in
            .json(#"{"title": "Book \#(request.pathValues["id"] ?? "")"}"#)
        }

        await model.select(7)

        #expect(model.selected == Book(title: "Book 7"))
    }

    @Test func makesAndParsesWithoutASession() throws {
        let request = BooksRequest(baseURL: URL(string: "https://books.example.com")!)

        #expect(
            try request.makeRequest(from: "a b").url?.absoluteString
                == "https://books.example.com/books?q=a%20b")
        #expect(
            try request.parseResponse(data: Data(#"[{"title": "Emma"}]"#.utf8))
                == [Book(title: "Emma")])
    }
}
