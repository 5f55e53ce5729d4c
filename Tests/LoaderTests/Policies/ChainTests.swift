import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// All policies in the documented order, on a server where everything goes wrong now and then.
@Suite(.limited, .usesSockets) struct ChainTests {
    private let clock = MockClock()
    private let network: MockNetwork
    private let tokens: Credentials<Token>
    private let log: EventLog

    init() {
        let clock = clock
        log = EventLog(clock: clock)
        network = MockNetwork(clock: clock)
        tokens = TokenServer().tokens(.expired)
        let (valid, calls, refreshes) = (Locked(0), Locked(0), Locked(0))
        @Sendable func next(_ count: Locked<Int>) -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
        network.stub(.any, times: .any) { request in
            let number = next(calls)
            let token = request.request.value(forHTTPHeaderField: "Authorization")
            guard token == "Bearer \(valid.withLock { $0 })" else { return .status(401) }
            if number.isMultiple(of: 97) { valid.withLock { $0 = -1 } }
            switch number % 11 {
            case 0: return .status(503)
            case 1: return .status(429).header("Retry-After", "3")
            case 2: return .error(.networkConnectionLost)
            case 3: return .text("late").delayed(by: .seconds(40))
            case 4: return .text("value").delayed(by: .seconds(10))
            default: return .text("value")
            }
        }
        network.stub(.post("/token"), times: .any) { _ in
            let number = next(refreshes)
            if number.isMultiple(of: 3) { return .status(503) }
            valid.withLock { $0 = number }
            return .json(encoding: Token(access: "\(number)"))
        }
    }

    /// How many requests have a place in the limit, and how many had one at most.
    private let inProgress = Locked((now: 0, most: 0))

    private func chain(on session: any HTTPSession) -> any HTTPSession {
        session.timingOut(after: .seconds(30), clock: clock)
            .intercepting { [inProgress] request, next in
                inProgress.withLock { inProgress in
                    inProgress.now += 1
                    inProgress.most = max(inProgress.most, inProgress.now)
                }
                defer { inProgress.withLock { $0.now -= 1 } }
                return try await next(request)
            }
            .limited(to: 6).coalescing().authenticated(by: tokens).retrying(.standard, clock: clock)
            .observed(by: log)
    }

    @Test(arguments: [false, true])
    func endsEachRequestOnce(usesURLSession: Bool) async throws {
        let session = chain(on: usesURLSession ? network.urlSession : network)
        let time = Task { [clock] in
            while !Task.isCancelled {
                await clock.waitForSleepers()
                await clock.advance(by: .milliseconds(500))
            }
        }

        let tasks = (0..<400).map { number in
            Task { await session.outcome(of: .test("\(number % 120)")) }
        }
        let cancelled = Set((0..<400).filter { _ in Int.random(in: 0..<3) == 0 })
        for number in cancelled {
            tasks[number].cancel()
            await Task.yield()
        }
        for (number, task) in tasks.enumerated() {
            let ending = await task.value
            #expect(ending != .error(.cancelled) || cancelled.contains(number))
            #expect(ending != .body("late"))
        }
        time.cancel()

        #expect(inProgress.withLock { $0.most } <= 6)
        let events = Dictionary(grouping: log.events) { $0.id ?? 0 }
        #expect(Set(events.keys) == Set(1...400))
        #expect(events.values.allSatisfy { $0.count == 2 })
    }
}
