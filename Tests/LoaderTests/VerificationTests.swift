import APIKitLite
import APIKitLiteTesting
import Foundation
import Testing

@Suite struct VerificationTests {
    let network = MockNetwork()

    @Test(arguments: [
        (Stub.Times.any, 0, 0), (.any, 3, 0), (.once, 0, 1), (.once, 1, 0), (.exactly(2), 1, 1),
        (.exactly(2), 2, 0), (.atLeast(1), 0, 1), (.atLeast(1), 9, 0), (.atLeast(3), 2, 1),
        (.never, 0, 0), (.exactly(0), 0, 0),
    ])
    func wantsAStubUsed(_ times: Stub.Times, _ count: Int, _ findings: Int) async throws {
        let stub = network.stub(.any, .text("x"), times: times)

        for _ in 0..<count { _ = try await network.urlSession.exchange(.test("a")) }

        #expect(stub.callCount == count)
        if findings == 0 {
            try network.verify()
        } else {
            let failure = #expect(throws: VerificationFailure.self) { try network.verify() }
            #expect(failure?.findings.count == findings)
            #expect(failure?.description.contains("VerificationTests.swift:") == true)
        }
    }

    @Test func verifiesAtTheEndOfABody() async throws {
        let value = try await withMockNetwork { network in
            network.stub(.any, .text("x"))
            return try await network.urlSession.exchange(.test("a")).0.text
        }
        #expect(value == "x")

        let unused = await #expect(throws: VerificationFailure.self) {
            try await withMockNetwork { network in _ = network.stub(.any, .text("x")) }
        }
        #expect(unused?.bodyError == nil)

        let both = await #expect(throws: VerificationFailure.self) {
            try await withMockNetwork { network in
                network.stub(.any, .text("x"))
                throw TestError(number: 3)
            }
        }
        #expect(both?.bodyError as? TestError == TestError(number: 3))
        #expect(both?.findings.count == 1)

        await #expect(throws: TestError.self) {
            try await withMockNetwork { _ in throw TestError() }
        }

        // Said once, not twice.
        await #expect(throws: MockFailure.self) {
            try await withMockNetwork { try await $0.urlSession.exchange(.test("a")).0.text }
        }
    }
}
