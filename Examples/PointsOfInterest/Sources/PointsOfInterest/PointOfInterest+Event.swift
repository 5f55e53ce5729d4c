import APIKitLite
import Foundation

extension PointOfInterest {
    /// Decodes the place of an event of `GET /events`.
    ///
    /// - Throws: ``APIRequestError``, in stage `.parse` if the data is not a place.
    public init(_ event: ServerSentEvent) throws(APIRequestError) {
        do {
            self = try JSONDecoder().decode(PointOfInterest.self, from: Data(event.data.utf8))
        } catch {
            throw APIRequestError(stage: .parse, data: Data(event.data.utf8), underlying: error)
        }
    }
}
