import TestSupport

@testable import APIKitLiteTesting

@Suite struct MonitorTests {
    @Test func callsBackForEachConditionThatHolds() {
        let monitor = Monitor(0)
        let called = Locked<[Int]>([])
        for number in [2, 1, 3, 2] {
            _ = monitor.when({ $0 >= number }, { called.withLock { $0.append(number) } })
        }

        monitor.update { $0 = 2 }
        #expect(called.withLock { $0 } == [2, 1, 2])
        monitor.update { $0 = 3 }
        #expect(called.withLock { $0 } == [2, 1, 2, 3])
    }

    /// A condition that becomes true while a change is looked at is due at the next change.
    @Test func forgetsNoCallbackThatItDidNotCall() {
        let monitor = Monitor(0)
        let (asked, called) = (Locked(0), Locked(false))
        let first = monitor.when({ $0 == 1 }, {})
        let second = monitor.when(
            { _ in
                asked.withLock { asked in
                    asked += 1
                    return asked > 2
                }
            },
            { called.withLock { $0 = true } })
        #expect(first != nil && second != nil)

        monitor.update { $0 = 1 }
        #expect(!called.withLock { $0 })
        monitor.update { $0 = 2 }

        #expect(called.withLock { $0 })
    }
}
