import APIKitLiteTesting
import PointsOfInterest

extension MockNetwork {
    /// A network that knows places: `GET /locations?lat=…&long=…&limit=…`, nearest first.
    ///
    /// Its `urlSession` answers without a socket, `serve(port:)` on one.
    public static func places(_ index: PlacesIndex) -> MockNetwork {
        let network = MockNetwork()
        // A stub that was added later is asked first.
        network.stub(.any, times: .any) { request in
            let path = request.request.url?.path ?? ""
            return .json(
                encoding: Refusal(error: "There is no \(request.method) \(path) here."), status: 404
            )
        }
        network.stub(
            .get("/"), .text("Try /locations?lat=37.3293&long=-121.8893&limit=10\n"), times: .any)
        network.stub(.get("/locations"), times: .any) { request in
            do throws(LocationsQuery.Refused) {
                let query = try LocationsQuery(request.query)
                return .json(encoding: index.nearest(to: query.coordinate, limit: query.limit))
            } catch {
                return .json(encoding: error.refusal, status: 400)
            }
        }
        return network
    }
}
