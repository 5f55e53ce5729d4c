import APIKitLite
import Foundation
import TestSupport

/// A store of a token in which a step can be slow or fail.
final class Store: Sendable {
    enum Step: CaseIterable { case load, save }

    private let token: Locked<Token?>
    private let steps = Locked<[String]>([])
    private let failures: Locked<Int>
    private let held: Step?
    private let failing: Step?
    private let error: any Error
    private let isHeld = Gate()
    private let mayGo = Gate()

    init(
        _ token: Token?, holding held: Step? = nil, failing: Step? = nil,
        with error: any Error = TestError(), times: Int = 1
    ) {
        self.token = Locked(token)
        (self.held, self.failing, self.error) = (held, failing, error)
        failures = Locked(times)
    }

    /// The token that is in the store.
    var content: Token? { token.withLock { $0 } }

    /// The steps so far, such as `save new1`; `save -` is a sign-out.
    var log: [String] { steps.withLock { $0 } }

    func waitUntilHeld() async { await isHeld.wait() }
    func release() { mayGo.open() }

    @Sendable func load() async throws -> Token? {
        try await perform(.load, "load")
        return token.withLock { $0 }
    }

    @Sendable func save(_ new: Token?) async throws {
        try await perform(.save, "save \(new?.access ?? "-")")
        token.withLock { $0 = new }
    }

    private func perform(_ step: Step, _ name: String) async throws {
        steps.withLock { $0.append(name) }
        if step == held {
            isHeld.open()
            await mayGo.wait()
        }
        let fails = failures.withLock { count in
            guard step == failing, count > 0 else { return false }
            count -= 1
            return true
        }
        if fails { throw error }
    }
}

extension TokenServer {
    /// The credential of a user whose token a store keeps. Without a token, it is loaded.
    func tokens(_ store: Store, _ token: Token? = nil) -> Credentials<Token> {
        tokens(token) { rejection in
            if rejection.credential == nil { return try await store.load() }
            return try await refreshedToken(rejection)
        } save: { new in
            try await store.save(new)
        }
    }
}
