import Foundation

/// How the body of a stream ended.
enum StreamEnding: Sendable {
    /// The whole body was read.
    case complete
    /// The body ended with an error, such as a lost connection or a timeout.
    case failed(any Error)
    /// The reader left the loop before the end, or its task was cancelled.
    case left

    fileprivate init(_ error: any Error) {
        self = (error as? URLError)?.code == .cancelled ? .left : .failed(error)
    }
}

extension HTTPBody {
    /// Returns a body that reports its end, once, and the number of bytes that were read.
    ///
    /// The end is reported in the task that reads, even if that task is cancelled: the caller of
    /// `Task.cancel()` may hold a lock that the report needs. If no task reads, it is reported where
    /// the body is ended or released. The end of a complete body is reported immediately.
    func reportingEnd(
        to report: @escaping @Sendable (_ ending: StreamEnding, _ byteCount: Int) -> Void
    ) -> HTTPBody {
        if let data {
            report(.complete, data.count)
            return self
        }
        let reader = ReportedReader(report: report)
        let pieces = makeAsyncIterator()
        return HTTPBody(
            wrapping: self,
            next: { isRefused in
                do {
                    let piece = try await pieces.next(isRefused: isRefused)
                    if let piece { reader.didTake(piece) } else { reader.end(with: .complete) }
                    return piece
                } catch {
                    reader.end(with: StreamEnding(error))
                    throw error
                }
            },
            end: { error in
                let isAwaited = self.end(throwing: error)
                if !isAwaited { reader.end(with: StreamEnding(error)) }
                return isAwaited
            })
    }
}

/// Counts the bytes that the reader of a body has taken, and reports them once, at its end. `count`
/// is nil after the report.
private struct ReportedReader: Sendable {
    let report: @Sendable (_ ending: StreamEnding, _ byteCount: Int) -> Void
    private let count = Locked<Int?>(0)

    init(report: @escaping @Sendable (_ ending: StreamEnding, _ byteCount: Int) -> Void) {
        self.report = report
    }

    func didTake(_ piece: Data) {
        count.withLock { $0 = $0.map { $0 + piece.count } }
    }

    func end(with ending: StreamEnding) {
        let count = count.withLock { count in
            defer { count = nil }
            return count
        }
        if let count { report(ending, count) }
    }
}
