import APIKitLite
import Foundation

/// The server's API: one method for each endpoint, all over one session.
///
/// Each method names its request type, so the compiler sees that the request is `Sendable` and
/// decodes off the caller's actor. A generic `load<R: APIRequest>` would need
/// `R: Sendable, R.RequestDataType: Sendable, R.ResponseDataType: Sendable` for that.
public struct PlacesClient: Sendable {
    private let baseURL: URL
    private let session: any HTTPSession

    /// Creates a client of one server.
    ///
    /// - Parameter session: The chain that ``placesSession(over:from:timeout:clock:log:)`` returns.
    public init(baseURL: URL, session: any HTTPSession) {
        self.baseURL = baseURL
        self.session = session
    }

    /// Loads the places around a coordinate.
    ///
    /// - Throws: ``APIRequestError``, in stage `.makeRequest` for a coordinate off the globe.
    public func places(
        near coordinate: Coordinate, limit: Int
    ) async throws(APIRequestError) -> [PointOfInterest] {
        let request = PointsOfInterestRequest(baseURL: baseURL, limit: limit)
        return try await APIRequestLoader(apiRequest: request, urlSession: session)
            .load(coordinate)
    }

    /// Returns all places that a search finds. Each page is loaded when the loop gets to it.
    public func search(
        _ text: String, pageSize: Int = 100
    ) -> PageElements<[PointOfInterest], APIRequestError> {
        let request = SearchRequest(baseURL: baseURL, text: text, limit: pageSize)
        return session.pages(request, from: nil).elements { $0.places }
    }

    /// Downloads the file with all places, and resumes what an earlier call left.
    ///
    /// If the connection is lost within the body, the download continues by itself.
    ///
    /// - Parameters:
    ///   - file: The URL of the file. Its folder must exist.
    ///   - progress: Called with the number of bytes in the part, and the length of the file.
    ///   - clock: The clock of the delays.
    /// - Returns: The response of the last request: 206 if the download was resumed.
    /// - Throws: ``APIRequestError``.
    public func download(
        to file: URL,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws(APIRequestError) -> HTTPURLResponse {
        try await session.download(
            URLRequest(url: baseURL.appending(path: "places.json")), to: file, progress: progress,
            retrying: .standard, clock: clock, validate: Refusal.check)
    }

    /// Uploads a file under its name.
    ///
    /// - Parameters:
    ///   - file: The URL of the file. It must not change until the upload is complete.
    ///   - progress: Called with the number of bytes that were sent, and the size of the file.
    /// - Throws: ``APIRequestError``, in stage `.makeRequest` for a file that cannot be read.
    public func upload(
        _ file: URL,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(APIRequestError) -> UploadReceipt {
        try await session.load(UploadRequest(baseURL: baseURL), file, progress: progress)
    }

    /// Returns the events of new places. The stream connects again when its connection ends.
    ///
    /// - Parameters:
    ///   - id: The ID of the last event of an earlier stream. Empty for all places.
    ///   - clock: The clock of the delays before a new connection.
    ///   - willReconnect: Called before each delay, with the error of the connection if it has one.
    /// - Throws: ``APIRequestError``, in stage `.makeRequest` for a server's URL that is unusable.
    public func newPlaces(
        after id: String = "", clock: any Clock<Duration> = ContinuousClock(),
        willReconnect: @escaping @Sendable (Duration, APIRequestError?) -> Void = { _, _ in }
    ) throws(APIRequestError) -> EventStream {
        let request: URLRequest
        do {
            request = try URLRequest("GET", baseURL, path: "/events")
        } catch {
            throw APIRequestError(stage: .makeRequest, underlying: error)
        }
        return session.events(request, after: id, willReconnect: willReconnect, clock: clock)
    }
}
