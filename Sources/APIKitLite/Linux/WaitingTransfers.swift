#if canImport(FoundationNetworking)
import Foundation

/// Stops the busy loop in which Foundation on Linux (up to Swift 6.3) waits for a response.
///
/// While libcurl connects, it asks to be told when the socket can be written to. Foundation does
/// not stop when libcurl later asks only for reading (`_SocketSources` in `MultiHandle.swift`), and
/// a connected socket can nearly always be written to. So one request that waits for its response
/// on a new connection keeps a core busy, until libcurl gives up the socket, as for a pause.
///
/// So each transfer that lasts is paused, and continued immediately, unless it is sending. This is
/// repeated while it lasts: a pause has no effect while libcurl connects, and another request over
/// HTTP/2 starts a new loop. All transfers are paused before the first one continues, because over
/// HTTP/2 they share a socket.
///
/// Measured with Swift 6.3.1 and libcurl 7.88.1: see `Transfer`. A Foundation that removes the write
/// source in `_SocketSources.createSources` needs none of this.
final class WaitingTransfers:
    @unchecked Sendable  // The variables are used under `lock` or on the queue of `timer`.
{
    private static let lock = NSLock()
    nonisolated(unsafe)  // Used only under `lock`.
        private static var watched: [ObjectIdentifier: WaitingTransfers] = [:]
    private static let firstDelay = 25  // milliseconds

    private weak var session: URLSession?
    /// Fires on the serial queue of the session, on which Foundation uses and frees its transfers.
    private let timer: any DispatchSourceTimer
    /// How often this has looked since a task was started. Used under `lock`.
    private var lookCount = 0
    /// The earliest time of the next look. Used under `lock`.
    private var earliest = DispatchTime.now()
    /// How much of its body each transfer had sent at the last look. Used on the queue.
    private var sentCounts: [UnsafeMutableRawPointer: Double] = [:]

    /// Looks at the transfers of a session while it has any. Call it before each start of a task.
    static func watch(_ session: URLSession) {
        guard session.configuration.usesStandardProtocol else { return }
        let key = ObjectIdentifier(session)
        lock.withLock {
            // Another session may have had the same address.
            if let watch = watched[key], watch.session === session {
                if watch.lookCount > 0 { watch.lookLater(firstDelay) }
                watch.lookCount = 0
            } else {
                watched[key] = WaitingTransfers(of: session)
            }
        }
    }

    private init?(of session: URLSession) {
        guard let queue = session.transferQueue else { return nil }
        self.session = session
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [self] in look() }  // Released when the timer is cancelled.
        lookLater(Self.firstDelay)
        timer.activate()
    }

    private func lookLater(_ delay: Int) {
        timer.schedule(deadline: max(earliest, .now() + .milliseconds(delay)))
    }

    private func look() {
        let transfers = session.map { Transfer.all(of: $0).filter { !$0.isPaused } } ?? []
        // Short transfers are left alone. Over HTTP/2, a body is sent more slowly after a pause.
        let waiting = transfers.filter { $0.sentCount == sentCounts[$0.handle] }
        for transfer in transfers where sentCounts[transfer.handle] == nil { transfer.limitBody() }
        sentCounts = transfers.reduce(into: [:]) { $0[$1.handle] = $1.sentCount }
        for isPaused in [true, false] {
            for transfer in waiting { transfer.setPaused(isPaused) }
        }
        Self.lock.withLock {
            lookCount += 1
            // A task whose cache is asked has no transfer yet.
            if transfers.isEmpty, lookCount > 2 {
                timer.cancel()
                Self.watched = Self.watched.filter { $0.value !== self }
            } else {
                // A look takes about 20 µs for each transfer: a hundredth of the time, and a
                // twenty-fifth however often requests are started.
                earliest = .now() + .microseconds(500 * transfers.count)
                lookLater(max(Self.firstDelay << min(lookCount, 5), 2 * transfers.count))
            }
        }
    }
}
#endif
