import APIKitLite
import Foundation
import Testing

@testable import APIKitLiteTesting

#if canImport(FoundationNetworking)
@Suite(.timeLimit(.minutes(5))) struct LoadingThreadTests {
    @Test func isOneThreadAtATimeByEitherWay() async {
        let inside = Locked(0)
        let mostInside = Locked(0)

        await withTaskGroup(of: Void.self) { group in
            for index in 0..<2000 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        let work: @Sendable () -> Void = {
                            let count = inside.withLock { count in
                                count += 1
                                return count
                            }
                            mostInside.withLock { $0 = max($0, count) }
                            inside.withLock { $0 -= 1 }
                            // Twice would end the process.
                            continuation.resume()
                        }
                        if index.isMultiple(of: 2) {
                            LoadingThread.current.perform(work)
                        } else {
                            LoadingThread.sendByCourier(work)
                        }
                    }
                }
            }
        }

        #expect(mostInside.withLock { $0 } == 1)
    }
}
#endif
