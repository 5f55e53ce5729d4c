import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

enum BooksError: LocalizedError {
    case offline
    case problem(Problem)
    case other(APIRequestError)

    init(_ error: APIRequestError) {
        switch error.underlying {
        case let problem as Problem: self = .problem(problem)
        case URLError.notConnectedToInternet: self = .offline
        default: self = .other(error)
        }
    }
}

private struct BooksClient {
    let anonymous: any HTTPSession
    let baseURL = URL.production

    func book(_ id: Int) async throws(BooksError) -> Book {
        do {
            return try await anonymous.load(.book(baseURL), id)
        } catch {
            throw BooksError(error)
        }
    }
}

extension JSONDecoder.DateDecodingStrategy {
    static var iso8601WithFractions: Self {
        .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            let style = Date.ISO8601FormatStyle(
                includingFractionalSeconds: text.contains("."))
            guard let date = try? style.parse(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "\(text) is not a date of ISO 8601.")
            }
            return date
        }
    }
}

/// The samples of Recipes.md, and of the sections about errors.
@Suite(.limited) struct RecipesSamples {
    @Test func anAppHasOneErrorType() async {
        let network = MockNetwork()
        network.stub(.any, .error(.notConnectedToInternet), .status(500))
        let client = BooksClient(anonymous: MockURLSession(network))

        let offline = await #expect(throws: BooksError.self) { try await client.book(1) }
        let other = await #expect(throws: BooksError.self) { try await client.book(1) }

        guard case .offline = offline, case .other(let error) = other else {
            Issue.record("\(String(describing: offline)), \(String(describing: other))")
            return
        }
        #expect(error.statusCode == 500)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:01Z", 1), ("1970-01-01T00:00:01.250Z", 1.25), ("yesterday", nil),
    ])
    func decodesDatesWithAndWithoutFractions(_ text: String, _ seconds: Double?) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601WithFractions

        let dates = try? decoder.decode([Date].self, from: Data("[\"\(text)\"]".utf8))

        #expect(dates == seconds.map { [Date(timeIntervalSince1970: $0)] })
    }

    /// Compiled only: it is a program of its own.
    func servesAsAProgram() throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#), times: .any)
        let server = try network.serve()
        print("Serving \(server.url)")
    }

    /// Compiled only: the signal would reach the whole test run.
    func endsWithControlC(_ session: any HTTPSession, _ request: URLRequest, _ file: URL) {
        let work = Task { try await session.download(request, to: file) }
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT)
        interrupt.setEventHandler { work.cancel() }
        interrupt.resume()
    }
}
