import APIKitLiteTesting
import Foundation
import PointsOfInterest

extension MockNetwork {
    /// Creates a network that knows places.
    ///
    /// - `POST /token`: a token, which the others require in `Authorization: Bearer`.
    /// - `GET /locations?lat=…&long=…&limit=…`: the nearest places, nearest first.
    /// - `GET /search?q=…&limit=…&cursor=…`: a page of the places with `q` in their name.
    /// - `GET /events`: an event for each place, one after another. `Last-Event-ID` continues.
    /// - `GET /places.json`: all places as a file. `Range` continues.
    /// - `PUT /uploads/{name}`: the number of bytes of the body, which is not kept.
    ///
    /// Its `urlSession` answers without a socket, `serve(port:)` on one.
    ///
    /// - Parameters:
    ///   - index: The places.
    ///   - token: The token that it gives to every client.
    ///   - isFlaky: Whether every third request with the token is answered 503, the first one too,
    ///     and whether the connection of each event stream and of the whole file breaks.
    ///   - bytesPerSecond: The limit of the speed of `/places.json`; nil for no limit.
    ///   - clock: The clock of the events and of the limit. Without one, all bytes are sent at once.
    public static func places(
        _ index: PlacesIndex, token: String = UUID().uuidString, isFlaky: Bool = false,
        bytesPerSecond: Int? = nil, clock: (any Clock<Duration>)? = nil
    ) -> MockNetwork {
        let network = MockNetwork(clock: clock)
        let outages = isFlaky ? Outages() : nil

        // A stub that was added later is asked first.
        network.stub(.any, times: .any) { request in
            .json(
                encoding: Refusal(error: "There is no \(request.method) \(request.path) here."),
                status: 404)
        }
        network.stub(
            .get("/"),
            .text(
                "Try POST /token, GET /locations, GET /search, GET /events, GET /places.json and "
                    + "PUT /uploads/{name}.\n"),
            times: .any)
        network.stub(.post("/token"), .invalidGrant, times: .any)
        network.stub(
            .post("/token").form(["grant_type": "client_credentials"]),
            .json(encoding: TokenAnswer(accessToken: token)), times: .any)

        /// Adds an endpoint: 401 without the token, otherwise what the closure returns.
        func endpoint(
            _ matcher: RequestMatcher,
            answer: @escaping @Sendable (RecordedRequest) throws -> MockResponse
        ) {
            network.stub(matcher, .status(401), times: .any)
            let authorized = matcher.header("Authorization", "Bearer \(token)")
            network.stub(authorized, times: .any) { request in
                if outages?.next() == true { return .unavailable }
                do {
                    return try answer(request)
                } catch let error as InvalidQuery {
                    return .json(encoding: error.refusal, status: 400)
                }
            }
        }
        endpoint(.get("/locations")) { request in
            let query = try LocationsQuery(request.query)
            return .json(encoding: index.nearest(to: query.coordinate, limit: query.limit))
        }
        endpoint(.get("/search")) { request in
            let query = try SearchQuery(request.query)
            return .json(encoding: query.page(of: index.search(query.text)))
        }
        endpoint(.get("/events")) { request in
            let events = try PlaceEvents(after: request.header("Last-Event-ID"), of: index.places)
            return events.response(isCut: isFlaky)
        }
        endpoint(.get("/places.json")) { request in
            try PlacesFile(index.places).response(
                bytesPerSecond: bytesPerSecond, isCut: isFlaky && request.header("Range") == nil)
        }
        endpoint(.put("/uploads/{name}")) { request in
            .json(encoding: UploadReceipt(bytes: request.body.count))
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
