import Foundation

/// A progress that calls a closure with each of its states.
///
/// On Linux, `Progress` has no key-value observing, and it may not be read while another thread
/// changes it. This class reads it on the thread that changes it.
final class ObservedProgress: Progress, @unchecked Sendable {
    // Safe: `report` is constant, and `Progress` itself is `Sendable`.
    private let report: @Sendable (Progress) -> Void

    init(_ report: @escaping @Sendable (Progress) -> Void) {
        self.report = report
        super.init(parent: nil, userInfo: nil)
    }

    /// The number of bytes. A transfer sets it last.
    override var completedUnitCount: Int64 {
        didSet { report(self) }
    }
}
