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
        var refreshed: String?

        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(name: "nobody is signed in"),
        Case(name: "signed out after a rejection", rejectedAge: 1),
        Case(name: "signed out, and stale", isStale: true),
        Case(name: "a good credential", credential: "b"),
        Case(name: "a stale one", credential: "b", isStale: true, refreshed: "b"),
        Case(name: "a rejected one", credential: "b", rejectedAge: 0, refreshed: "b"),
        Case(
            name: "rejected and stale", credential: "b", rejectedAge: 0, isStale: true,
            refreshed: "b"),
        Case(name: "a late rejection", credential: "b", rejectedAge: 1),
        Case(name: "a very late rejection", credential: "b", rejectedAge: 2),
        Case(
            name: "a late rejection, and stale by now", credential: "b", rejectedAge: 1,
            isStale: true, refreshed: "b"),
    ])
    func decides(_ test: Case) {
        var state = CredentialState<String>("a")
        state.set("a")
        state.set(test.credential)

        let rejected = test.rejectedAge.map { state.generation - $0 }

        #expect(
            state.toRefresh(afterRejected: rejected) { _ in test.isStale } == test.refreshed)
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
