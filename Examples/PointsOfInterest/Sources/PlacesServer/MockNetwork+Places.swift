import APIKitLiteTesting
import Foundation
import PointsOfInterest

extension MockNetwork {
    /// Creates a network that knows places.
    ///
    /// - `POST /token`: a token, which the other two require in `Authorization: Bearer`.
    /// - `GET /locations?lat=…&long=…&limit=…`: the nearest places, nearest first.
    /// - `GET /search?q=…&limit=…&cursor=…`: a page of the places with `q` in their name.
    ///
    /// Its `urlSession` answers without a socket, `serve(port:)` on one.
    ///
    /// - Parameters:
    ///   - index: The places.
    ///   - token: The token that it gives to every client.
    ///   - isFlaky: Whether every third request for places is answered 503, the first one too.
    public static func places(
        _ index: PlacesIndex, token: String = UUID().uuidString, isFlaky: Bool = false
    ) -> MockNetwork {
        let network = MockNetwork()
        let outages = isFlaky ? Outages() : nil

        // A stub that was added later is asked first.
        network.stub(.any, times: .any) { request in
            .json(
                encoding: Refusal(error: "There is no \(request.method) \(request.path) here."),
                status: 404)
        }
        network.stub(
            .get("/"), .text("Try POST /token, GET /locations and GET /search.\n"), times: .any)
        network.stub(.post("/token"), .invalidGrant, times: .any)
        network.stub(
            .post("/token").form(["grant_type": "client_credentials"]),
            .json(encoding: TokenAnswer(accessToken: token)), times: .any)

        /// Adds an endpoint: 401 without the token, otherwise what the closure returns.
        func get<Answer: Encodable & SendableMetatype>(
            _ path: String,
            answer: @escaping @Sendable ([String: String]) throws(InvalidQuery) -> Answer
        ) {
            network.stub(.get(path), .unauthorized, times: .any)
            let authorized = RequestMatcher.get(path).header("Authorization", "Bearer \(token)")
            network.stub(authorized, times: .any) { request in
                if outages?.next() == true { return .unavailable }
                do throws(InvalidQuery) {
                    return .json(encoding: try answer(request.query))
                } catch {
                    return .json(encoding: error.refusal, status: 400)
                }
            }
        }
        get("/locations") { query throws(InvalidQuery) in
            let query = try LocationsQuery(query)
            return index.nearest(to: query.coordinate, limit: query.limit)
        }
        get("/search") { query throws(InvalidQuery) in
            let query = try SearchQuery(query)
            return query.page(of: index.search(query.text))
        }
        return network
    }
}

extension MockResponse {
    fileprivate static var invalidGrant: MockResponse {
        .json(encoding: Refusal(error: "grant_type must be client_credentials."), status: 400)
    }

    fileprivate static var unauthorized: MockResponse {
        .json(encoding: Refusal(error: "A token is needed: see POST /token."), status: 401)
            .header("WWW-Authenticate", "Bearer")
    }

    fileprivate static var unavailable: MockResponse {
        .json(encoding: Refusal(error: "The server is busy."), status: 503)
            .header("Retry-After", "1")
    }
}
