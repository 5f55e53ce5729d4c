import APIKitLite
import APIKitLiteTesting
import TestSupport

@Suite(.limited) struct CatalogTests {
    private let network = MockNetwork()
    private let catalog: Catalog

    init() {
        let session = network.urlSession
        catalog = Catalog(baseURL: URL(string: "https://api.example.com/v2")!) { request in
            try await session.data(for: request)
        }
    }

    @Test func loadsAnyType() async throws {
        let album = Album(id: 7, title: "Kind of Blue")
        network.stub(.get("/v2/albums/7"), .json(encoding: album))
        network.stub(.get("/v2/albums"), .json(encoding: [album]))
        network.stub(.get("/v2/notes/7"), .status(204))

        let one: Album = try await catalog.get(path: "albums/7")
        let all: [Album] = try await catalog.get(path: "albums")
        let note: String? = try await catalog.get(path: "notes/7")

        #expect([one] == all)
        #expect(note == nil)
    }

    @Test func throwsTheMessageOfTheAPI() async {
        network.stub(.get("/v2/albums/8"), .json(#"{"message": "No album 8."}"#, status: 404))

        let error = await #expect(throws: CatalogError.self) {
            let _: Album = try await catalog.get(path: "albums/8")
        }

        #expect(error?.status == 404)
        #expect(error?.message == "No album 8.")
        await #expect(throws: CatalogError.self) {
            let _: Album = try await catalog.get(path: "albums/../8")
        }
        #expect(network.requests.count == 1)
    }

    private func result(_ path: String) async -> Result<Album, CatalogError> {
        await withCheckedContinuation { continuation in
            catalog.get(path: path) { continuation.resume(returning: $0) }
        }
    }

    @Test func callsTheCompletionHandler() async throws {
        network.stub(.get("/v2/albums/7"), .json(#"{"id": 7, "title": "Kind of Blue"}"#))
        network.stub(.get("/v2/albums/8"), .error(.notConnectedToInternet))

        #expect(try await result("albums/7").get().title == "Kind of Blue")
        await #expect(throws: CatalogError.self) { try await result("albums/8").get() }
    }
}
