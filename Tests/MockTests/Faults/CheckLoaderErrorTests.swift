import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// The loads that the loader check refuses, and its errors.
@Suite(.limited) struct CheckLoaderErrorTests {
    struct User: Codable, Sendable {
        var name: String
    }

    struct UserRequest: APIRequest {
        typealias ResponseDataType = User

        func makeRequest(from id: Int) throws -> URLRequest {
            if id < 0 { throw TestError(number: id) }
            return .test("users/\(id)")
        }
    }

    private static let sample = MockResponse.json(#"{"name": "Emma"}"#)

    private func failure(_ sample: MockResponse, from id: Int) async throws -> FaultError {
        try await #require(throws: FaultError.self) {
            try await checkLoader(
                of: UserRequest(), with: sample, from: id, fileID: "App/UserTests.swift", line: 12)
        }
    }

    @Test func theSampleMustGiveAValue() async throws {
        let failure = try await failure(.json(#"{"nom": "Emma"}"#), from: 42)

        #expect(
            "\(failure)".hasPrefix(
                """
                1 of 1 faults broke UserRequest (App/UserTests.swift:12):
                  no fault: must end in a value, but ended in .parse: UserRequest: GET \
                https://api.example.com/users/42 got an answer that could not be parsed
                """))
        // The other faults would repeat the same message.
        #expect(failure.violations.map(\.fault) == [.noFault])
        #expect(failure.skippedCount == failure.report.count - 1)
        #expect(failure.report[.noFault] == .error(.parse))
        #expect(
            "\(failure)".hasSuffix(
                "\nThe sample must give a value: the other faults were not tried."))
    }

    @Test func theRequestMustBeMade() async throws {
        let failure = try await failure(Self.sample, from: -1)

        #expect(failure.violations.count == 1)
        let event = failure.violations[0].event
        #expect(event.contains("ended in .makeRequest: UserRequest failed before"))
        #expect(event.contains("TestError(number: -1)"))
    }

    /// Hangs when it parses for the third time.
    private struct Moody: APIRequest {
        let count = Locked(0)
        let forever = DispatchSemaphore(value: 0)

        func makeRequest(from data: Void) throws -> URLRequest { .test("a") }
        func validateResponse(data: Data, response: HTTPURLResponse) throws {}
        func parseResponse(data: Data) throws -> String {
            let count = count.withLock {
                $0 += 1
                return $0
            }
            if count == 3 { forever.wait() }
            return data.text
        }
    }

    @Test func aLoadThatHangsIsGivenUp() async throws {
        let request = Moody()

        let error = try await #require(throws: FaultError.self) {
            try await checkLoader(of: request, with: Self.sample, timeLimit: .seconds(3))
        }
        request.forever.signal()

        #expect(error.report[.status(201)] == .value)
        #expect(error.report[.status(204)] == nil)
        #expect(
            error.violations.map(\.description) == [
                """
                status 204: did not end within 3.0 seconds; GET https://api.example.com/a has had \
                its answer for a while (what waits by itself, as a retry does, needs the clock: \
                forEachFault { network, clock in … })
                """
            ])
    }

    @Test func aCancelledCheckEnds() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await checkLoader(of: UserRequest(), with: Self.sample, from: 1)
        }

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [
        (MockResponse.json("nul"), ".json(_:) was given text that is not JSON: nul"),
        (.status(0), "0 is not an HTTP status: use 100...599."),
        (.hanging, "it is broken itself. Give the answer of a healthy server."),
    ])
    func aBadSampleIsRefused(_ sample: MockResponse, _ reason: String) async {
        let error = await #expect(throws: MockError.self) {
            try await checkLoader(
                of: UserRequest(), with: sample, from: 1, fileID: "A/B.swift", line: 3)
        }
        #expect(
            error?.description
                == "checkLoader(of:with:from:) cannot use its sample: \(reason) (A/B.swift:3)")
    }
}
