import Foundation

/// A progress that reports each of its states to a closure.
///
/// On Linux, `Progress` has no key-value observing, and it may not be read while another thread
/// changes it. This class reads it on the thread that changes it.
final class ObservedProgress: Progress, @unchecked Sendable {
    // Safe: `report` is constant, and `Progress` itself is `Sendable`.
    private let report: @Sendable (TransferState) -> Void

    init(_ report: @escaping @Sendable (TransferState) -> Void) {
        self.report = report
        super.init(parent: nil, userInfo: nil)
    }

    /// The number of bytes. A transfer sets it last.
    override var completedUnitCount: Int64 {
        didSet { report(TransferState(self)) }
    }
}
