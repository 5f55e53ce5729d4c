import Foundation

extension HTTPBody {
    /// Returns a body that reports its end once, as `closed`, `left` or `failed`.
    ///
    /// The end is reported in the task that reads, even if that task is cancelled. The caller of
    /// `Task.cancel()` does not report the end, because that caller may hold a lock that the report
    /// needs. If no task reads, the end is reported where the body is ended or released. The end of
    /// a complete body is reported immediately.
    func reportingEnd(to report: @escaping @Sendable (ExchangeEvent.Kind) -> Void) -> HTTPBody {
        if let data {
            report(.closed(bytes: data.count))
            return self
        }
        // The number of bytes read, or nil after the report.
        let count = Locked<Int?>(0)
        let end = { @Sendable (error: (any Error)?) in
            guard let bytes = count.take() else { return }
            switch error {
            case nil: report(.closed(bytes: bytes))
            case let error as URLError where error.code == .cancelled: report(.left(bytes: bytes))
            case let error?: report(.failed(error))
            }
        }
        let pieces = makeAsyncIterator()
        return HTTPBody(
            wrapping: self,
            next: {
                do {
                    let piece = try await pieces.nextPiece()
                    if let piece {
                        count.withLock { $0 = $0.map { $0 + piece.count } }
                    } else {
                        end(nil)
                    }
                    return piece
                } catch {
                    end(error)
                    throw error
                }
            },
            end: { error in
                let isAwaited = self.end(throwing: error)
                if !isAwaited { end(error) }
                return isAwaited
            })
    }
}
