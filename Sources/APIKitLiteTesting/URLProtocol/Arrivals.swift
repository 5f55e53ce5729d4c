import APIKitLite
import Foundation

#if canImport(FoundationNetworking)
/// Remembers which handler was set when a request was made.
///
/// A session with a cache makes the protocol object on another thread, a moment after `resume()`
/// has returned; the handler may be another test's by then. Only `canInit(with:)` runs inside
/// `resume()`, and the URL is all that it has in common with the protocol object: the same object
/// in memory, which no other test's request shares.
enum Arrivals {
    private struct Arrival {
        let url: URL
        let key: ObjectIdentifier
        let handler: StaticHandler?
    }

    private static let arrivals = Locked<[Arrival]>([])

    static func record(_ request: URLRequest, _ handler: StaticHandler?) {
        guard let url = request.url, let key = identity(of: url) else { return }
        arrivals.withLock { arrivals in
            // A request that another class took in the end never gets here again.
            if arrivals.count >= 256 { arrivals.removeFirst() }
            arrivals.append(Arrival(url: url, key: key, handler: handler))
        }
    }

    /// The handler that was set when this request was made, if that is known.
    static func take(_ request: URLRequest) -> StaticHandler?? {
        guard let key = request.url.flatMap(identity) else { return nil }
        return arrivals.withLock { arrivals in
            arrivals.firstIndex { $0.key == key }.map { arrivals.remove(at: $0).handler }
        }
    }

    private static func identity(of url: URL) -> ObjectIdentifier? {
        Mirror(reflecting: url).descendant("_url").map { ObjectIdentifier($0 as AnyObject) }
    }
}
#endif
