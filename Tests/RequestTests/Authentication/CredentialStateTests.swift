import TestSupport
import Testing

@testable import APIKitLite

/// What a request does about its credential, without a session.
@Suite(.limited) struct CredentialStateTests {
    struct Case: CustomTestStringConvertible {
        var name: String
        var credential: String?
        /// How many generations the rejected credential is behind the present one.
        var rejectedAge: Int?
        var isStale = false
        var expected: String

        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(name: "nobody is signed in", expected: "none"),
        Case(name: "signed out after a rejection", rejectedAge: 1, expected: "none"),
        Case(name: "signed out, and stale", isStale: true, expected: "none"),
        Case(name: "a good credential", credential: "b", expected: "use b"),
        Case(name: "a stale one", credential: "b", isStale: true, expected: "refresh b"),
        Case(name: "a rejected one", credential: "b", rejectedAge: 0, expected: "refresh b"),
        Case(
            name: "rejected and stale", credential: "b", rejectedAge: 0, isStale: true,
            expected: "refresh b"),
        Case(name: "a late rejection", credential: "b", rejectedAge: 1, expected: "use b"),
        Case(name: "a very late rejection", credential: "b", rejectedAge: 2, expected: "use b"),
        Case(
            name: "a late rejection, and stale by now", credential: "b", rejectedAge: 1,
            isStale: true, expected: "refresh b"),
    ])
    func decides(_ test: Case) {
        var state = CredentialState<String>("a")
        state.set("a")
        state.set(test.credential)

        let step = state.step(afterRejected: test.rejectedAge.map { state.generation - $0 }) { _ in
            test.isStale
        }

        switch step {
        case .none: #expect(test.expected == "none")
        case .use(let credential): #expect(test.expected == "use \(credential)")
        case .refresh(let credential): #expect(test.expected == "refresh \(credential)")
        }
    }

    @Test func isReplacedByItsRefresh() {
        var state = CredentialState<String>("old")
        let generation = state.generation

        let isReplaced = state.replace(generation, with: "new")

        #expect(isReplaced)
        #expect(state.credential == "new")
        #expect(state.generation != generation)
    }

    @Test(arguments: [nil, "emma's"])
    func isNotReplacedWhereSomebodySignedInOrOutMeanwhile(_ credential: String?) {
        var state = CredentialState<String>("old")
        let generation = state.generation
        state.set(credential)

        let isReplaced = state.replace(generation, with: "new")

        #expect(!isReplaced)
        #expect(state.credential == credential)
    }
}
