import APIKitLite
import Testing

@testable import APIKitLiteTesting

@Suite struct MonitorTests {
    /// A condition that becomes true while a change is looked at is due at the next change.
    @Test func forgetsNoCallbackThatItDidNotCall() {
        let awaitable = Monitor(0)
        let (asked, called) = (Locked(0), Locked(false))
        let first = awaitable.when({ $0 == 1 }, {})
        let second = awaitable.when(
            { _ in
                asked.withLock { asked in
                    asked += 1
                    return asked > 2
                }
            },
            { called.withLock { $0 = true } })
        #expect(first != nil && second != nil)

        awaitable.update { $0 = 1 }
        #expect(!called.withLock { $0 })
        awaitable.update { $0 = 2 }

        #expect(called.withLock { $0 })
    }
}
