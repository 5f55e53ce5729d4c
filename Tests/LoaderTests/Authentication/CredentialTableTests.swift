import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

/// What each call gets in each state, and how many times the closures are called for it.
@Suite(.limited) struct CredentialTableTests {
    enum State: CaseIterable { case nobody, unknown, fresh, stale, unsaved }
    enum Call { case request, rejected, value, refresh, set, setNil }
    enum Result: Int, CaseIterable { case none, same, new, stale, fails }

    /// For each result of `refresh`. A second credential that is stale is sent anyway.
    private static let table: [(Call, [State], results: String)] = [
        //                            none         same         new     stale   fails
        (.request, [.nobody], "       nobody 0   | nobody 0   | nobody 0 | nobody 0 | nobody 0"),
        (.request, [.unknown], "      nobody 1   | nobody 1   | new 1  | new 2 | failure 1"),
        (.request, [.stale], "        nobody 1   | old 1      | new 1  | new 1 | failure 1"),
        (.request, [.fresh, .unsaved], "old 0    | old 0      | old 0  | old 0 | old 0"),
        (.rejected, [.nobody], "      401 0      | 401 0      | 401 0  | 401 0 | 401 0"),
        (.rejected, [.unknown], "     401 2      | 401 2      | new 1  | new 2 | failure 1"),
        (.rejected, [.stale], "       401 1      | 401 2      | new 1  | new 1 | failure 1"),
        (.rejected, [.fresh, .unsaved], "401 1   | 401 1      | new 1  | new 1 | failure 1"),
        (.value, [.nobody, .unknown], "nobody 1  | nobody 1   | new 1  | new 2 | failure 1"),
        (.value, [.stale], "          nobody 1   | old 1      | new 1  | new 1 | failure 1"),
        (.value, [.fresh, .unsaved], "old 0      | old 0      | old 0  | old 0 | old 0"),
        (.refresh, [.nobody, .unknown], "nobody 1 | nobody 1  | new 1  | new 2 | failure 1"),
        (.refresh, [.fresh, .stale, .unsaved], "nobody 1 | old 1 | new 1 | new 1 | failure 1"),
        (.set, State.allCases, "      set 0      | set 0      | set 0  | set 0 | set 0"),
        (.setNil, State.allCases, "   nobody 0   | nobody 0   | nobody 0 | nobody 0 | nobody 0"),
    ]

    @Test(arguments: table.indices, Result.allCases)
    func endsAfterFewCalls(_ row: Int, _ result: Result) async throws {
        let (call, states, results) = Self.table[row]
        let expected = results.split(separator: "|")[result.rawValue].filter { $0 != " " }
        for state in states {
            let (count, applied) = (Locked(0), Locked(0))
            let (network, tokens) = try await user(state, call, applied) { rejection in
                // Otherwise a loop would never end.
                if count.next() > 20 { throw CancellationError() }
                switch result {
                case .none: return nil
                case .same: return rejection.credential
                case .new: return Token(access: "new")
                case .stale: return Token(access: "new", expires: 0)
                case .fails: throw TestError()
                }
            }
            let got: String
            do { got = try await perform(call, network, tokens) } catch is TestError {
                got = "failure"
            }
            #expect("\(got)\(count.withLock { $0 })" == expected, "\(state)")
            #expect(applied.withLock { $0 } <= 3, "\(state)")
        }
    }

    /// A server that accepts everything, or only the new token, and a user in a state.
    private func user(
        _ state: State, _ call: Call, _ applied: Locked<Int> = Locked(0),
        refresh: @escaping Credentials<Token>.Refresh
    ) async throws -> (MockNetwork, Credentials<Token>) {
        let network = MockNetwork { request in
            let given = request.value(forHTTPHeaderField: "Authorization") ?? "Bearer nobody"
            let isRefused = call == .rejected && given != "Bearer new"
            let response = HTTPURLResponse.status(isRefused ? 401 : 200)
            return (response, Data(String(isRefused ? "401" : given.dropFirst(7)).utf8))
        }
        // A refresh saves within its own call, so nothing continues in the background.
        let isUnsaved = Locked(state == .unsaved)
        let token: [State: Token] = [.fresh: .old, .stale: .expired]
        let tokens = Credentials(token[state], for: .api) { token, request in
            applied.next()
            return try request.authorization(bearer: token.access)
        } isStale: {
            $0.expires == 0
        } refresh: {
            isUnsaved.withLock { $0 } ? .old : try await refresh($0)
        } save: { _ in
            if isUnsaved.withLock({ $0 }) { throw TestError() }
        }
        if state == .nobody { tokens.credential = nil }
        if state == .unsaved {
            await #expect(throws: TestError.self) { try await tokens.refresh() }
            isUnsaved.withLock { $0 = false }
        }
        return (network, tokens)
    }

    private func perform(
        _ call: Call, _ network: MockNetwork, _ tokens: Credentials<Token>
    ) async throws -> String {
        let session = network.authenticated(by: tokens)
        switch call {
        case .value: return try await tokens.value()?.access ?? "nobody"
        case .refresh: return try await tokens.refresh()?.access ?? "nobody"
        case .set: tokens.credential = Token(access: "set")
        case .setNil: tokens.credential = nil
        case .request, .rejected: break
        }
        return try await session.exchange(.test("data")).0.text
    }

    @Test(arguments: State.allCases, [Call.request, .rejected, .value, .refresh])
    func isCancelledImmediately(_ state: State, _ call: Call) async throws {
        let (isCalled, never) = (Gate(), Gate())
        let (network, tokens) = try await user(state, call) { _ in
            isCalled.open()
            await never.wait()
            return nil
        }
        defer { never.open() }
        let waits =
            call == .refresh || state == .unknown || state == .stale
            || (call == .rejected ? state != .nobody : call == .value && state == .nobody)
        let task = Task { try await perform(call, network, tokens) }
        guard waits else {
            _ = try await task.value
            return
        }
        await isCalled.wait()
        task.cancel()
        await #expect(throws: URLError(.cancelled)) { try await task.value }
    }
}
