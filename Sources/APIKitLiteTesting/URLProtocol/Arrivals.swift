import APIKitLite
import Foundation

#if canImport(FoundationNetworking)
/// Remembers which static handler was set when a request was made.
///
/// A session with a cache creates the protocol object on another thread, shortly after `resume()`
/// returns. By then, another test may have set its own handler. Only `canInit(with:)` runs inside
/// `resume()`. Its request and that of the protocol object share one URL object in memory, which
/// no other request shares; so that object identifies the request.
enum Arrivals {
    /// One request, and the handler that was set when it was made.
    private struct Arrival {
        let url: URL
        let key: ObjectIdentifier
        let handler: StaticHandler?
    }

    /// Requests whose protocol object does not exist yet, oldest first.
    private static let arrivals = Locked<[Arrival]>([])

    /// Records the current handler for a request. Call it inside `resume()`.
    static func record(_ request: URLRequest, _ handler: StaticHandler?) {
        guard let url = request.url, let key = identity(of: url) else { return }
        arrivals.withLock { arrivals in
            // Another class may take the request; then nothing removes its entry. Hence a limit.
            if arrivals.count >= 256 { arrivals.removeFirst() }
            arrivals.append(Arrival(url: url, key: key, handler: handler))
        }
    }

    /// Removes the entry of a request, and returns the handler that was set when it was made.
    ///
    /// - Returns: `nil` if the request has no entry, and `.some(nil)` if no handler was set.
    static func take(_ request: URLRequest) -> StaticHandler?? {
        guard let key = request.url.flatMap(identity) else { return nil }
        return arrivals.withLock { arrivals in
            arrivals.firstIndex { $0.key == key }.map { arrivals.remove(at: $0).handler }
        }
    }

    /// Returns the identity of the object that a URL value wraps.
    private static func identity(of url: URL) -> ObjectIdentifier? {
        Mirror(reflecting: url).descendant("_url").map { ObjectIdentifier($0 as AnyObject) }
    }
}
#endif
