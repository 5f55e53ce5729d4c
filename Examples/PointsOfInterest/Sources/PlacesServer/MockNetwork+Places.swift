import APIKitLite
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
    /// Its `urlSession` responds without a socket, `serve(port:)` on one.
    ///
    /// - Parameters:
    ///   - index: The places.
    ///   - token: The token that it gives to every client.
    ///   - isFlaky: Whether every third request with the token gets a 503, the first one too,
    ///     and whether the connection of each event stream and of the whole file breaks.
    ///   - isSlow: Whether it sends only 20 kB of `/places.json` in a second.
    ///   - clock: The clock of the events and of the slow file. Without one, all bytes are sent at
    ///     once.
    public static func places(
        _ index: PlacesIndex, token: String = UUID().uuidString, isFlaky: Bool = false,
        isSlow: Bool = false, clock: (any Clock<Duration>)? = nil
    ) -> MockNetwork {
        let network = MockNetwork(clock: clock)
        let outages = isFlaky ? Outages() : nil

        // A stub that was added later is asked first.
        network.stub(.any, times: .any) { request in
            .refusal(404, "There is no \(request.method) \(request.path) here.")
        }
        network.stub(
            .post("/token").form(["grant_type": "client_credentials"]),
            .json(encoding: TokenResponse(accessToken: token)), times: .any)

        /// Adds an endpoint: 401 without the token, otherwise what the closure returns.
        func endpoint(
            _ matcher: RequestMatcher,
            response: @escaping @Sendable (RecordedRequest) throws -> MockResponse
        ) {
            let unauthorized = MockResponse.refusal(401, "A token is needed: see POST /token.")
                .header("WWW-Authenticate", "Bearer")
            network.stub(matcher, unauthorized, times: .any)
            let authorized = matcher.header("Authorization", "Bearer \(token)")
            network.stub(authorized, times: .any) { request in
                if outages?.next() == true {
                    return .refusal(503, "The server is busy.").header("Retry-After", "1")
                }
                do {
                    return try response(request)
                } catch let error as InvalidParameter {
                    return .refusal(400, error.sentence)
                }
            }
        }
        endpoint(.get("/locations")) { request in
            let point = Coordinate(
                latitude: try number("lat", request.query["lat"], in: -90...90),
                longitude: try number("long", request.query["long"], in: -180...180))
            let limit = try number("limit", request.query["limit"] ?? "10", in: 1...100)
            return .json(encoding: index.nearest(to: point, limit: limit))
        }
        endpoint(.get("/search")) { request in
            let found = index.search(request.query["q"] ?? "")
            let limit = try number("limit", request.query["limit"] ?? "10", in: 1...100)
            let cursor = try number("cursor", request.query["cursor"] ?? "0", in: 0...found.count)
            let end = min(cursor + limit, found.count)
            let page = SearchPage(
                places: Array(found[cursor..<end]), next: end < found.count ? "\(end)" : nil)
            return .json(encoding: page)
        }
        endpoint(.get("/events")) { request in
            let last = try number(
                "Last-Event-ID", request.header("Last-Event-ID") ?? "0", in: 0...index.places.count)
            return try eventStream(of: index.places, after: last, isCut: isFlaky)
        }
        endpoint(.get("/places.json")) { request in
            let data = try encoder.encode(index.places)
            var response = MockResponse.data(data, contentType: "application/json")
                // The places never change, so their size tells one file from another.
                .header("ETag", "\"\(data.count)\"").acceptingRanges
            if isSlow { response = response.chunked(by: 2_000, every: .milliseconds(100)) }
            let isCut = isFlaky && request.header("Range") == nil
            return isCut ? response.failing(afterBytes: data.count / 2) : response
        }
        endpoint(.put("/uploads/{name}")) { request in
            .json(encoding: UploadReceipt(bytes: request.body.count))
        }
        return network
    }
}

/// Returns the events of one connection: two in a second, and 204 after the last place.
///
/// - Parameters:
///   - last: The ID of the last event of an earlier connection: the number of a place, from 1 on.
///   - isCut: Whether the connection breaks within the fourth event.
private func eventStream(
    of places: [PointOfInterest], after last: Int, isCut: Bool
) throws -> MockResponse {
    // A connection has 20 events at most, as a server that is restarted now and then.
    var texts = try places.enumerated().dropFirst(last).prefix(20).map { index, place in
        let json = String(decoding: try encoder.encode(place), as: UTF8.self)
        return ServerSentEvent(event: "place", data: json, id: "\(index + 1)").text
    }
    guard !texts.isEmpty else { return .status(204) }
    // The client waits half a second before it connects again.
    texts[0] = "retry: 500\n" + texts[0]
    let response = MockResponse.chunks(
        texts, every: .milliseconds(500), contentType: "text/event-stream")
    return isCut
        ? response.failing(afterBytes: texts.prefix(3).joined().utf8.count + 10) : response
}

/// Reads a parameter that is a number.
private func number<Number: LosslessStringConvertible & Comparable>(
    _ name: String, _ text: String?, in range: ClosedRange<Number>
) throws(InvalidParameter) -> Number {
    guard let number = text.flatMap(Number.init), range.contains(number) else {
        throw InvalidParameter(
            sentence: "\(name) must be from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
}

/// The reason why the server refuses a request.
private struct InvalidParameter: Error {
    let sentence: String
}

/// Two calls must give the same bytes, because a client may resume.
private var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
}

extension MockResponse {
    fileprivate static func refusal(_ status: Int, _ sentence: String) -> MockResponse {
        .json(encoding: Refusal(error: sentence), status: status)
    }
}

/// Decides which requests a flaky server does not serve: the first, the fourth, the seventh and so
/// on. The retry of each is one that it serves.
private final class Outages: @unchecked Sendable {
    // Safe: `count` is touched only while holding `lock`.
    private let lock = NSLock()
    private var count = 0

    /// Counts a request, and returns whether the server is unavailable for it.
    func next() -> Bool {
        lock.withLock {
            defer { count += 1 }
            return count % 3 == 0
        }
    }
}
