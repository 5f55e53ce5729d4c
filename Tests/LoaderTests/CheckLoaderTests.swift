import APIKitLite
import Foundation
import Testing

@testable import APIKitLiteTesting

@Suite struct CheckLoaderTests {
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

    @Test func theReportIsATable() async throws {
        let report = try await checkLoader(of: UserRequest(), with: Self.sample, from: 42)

        #expect(
            "\(report)" == """
                success                          value
                status 201                       value
                status 204                       .parse
                status 301                       .validate
                status 304                       .validate
                status 400                       .validate
                status 401                       .validate
                status 403                       .validate
                status 404                       .validate
                status 409                       .validate
                status 422                       .validate
                status 429                       .validate
                status 500                       .validate
                status 502                       .validate
                status 503                       .validate
                status 504                       .validate
                HTML, status 200                 .parse
                HTML, status 502                 .validate
                empty body                       .parse
                truncated body                   .parse
                wrong types                      .parse
                wrong top level                  .parse
                null                             .parse
                URLError.notConnectedToInternet  .transport
                URLError.timedOut                .transport
                URLError.networkConnectionLost   .transport
                URLError.cannotFindHost          .transport
                URLError.secureConnectionFailed  .transport
                URLError.cancelled               .transport
                no answer                        .transport
                cut before the headers           .transport
                cut within the body              .transport
                cancelled before                 .transport, cancelled
                cancelled during                 .transport, cancelled
                """)
        #expect(report[.status(404)] == .error(.validate))
        #expect(report[.cancelledDuring] == .error(.transport, isCancellation: true))
        #expect(report[.status(418)] == nil)
        #expect(report == (try await checkLoader(of: UserRequest(), with: Self.sample, from: 42)))
    }

    @Test func whatTheRequestAcceptsIsNoMistake() async throws {
        struct Lenient: APIRequest {
            func makeRequest(from data: Void) throws -> URLRequest { .test("a") }
            func validateResponse(data: Data, response: HTTPURLResponse) throws {
                if response.statusCode == 500 { throw TestError() }
            }
            func parseResponse(data: Data) throws -> Int { data.count }
        }

        let report = try await checkLoader(of: Lenient(), with: .text("hello"))

        #expect(report[.status(404)] == .value)
        #expect(report[.status(500)] == .error(.validate))
        #expect(report[.html(status: 200)] == .value)
        #expect(report[.emptyBody] == .value)
        // The sample is no JSON.
        #expect(report[.wrongTypes] == nil)
    }

    @Test func aRequestNeedsNoBodyAndNotToBeSendable() async throws {
        final class Deletion: APIRequest {
            typealias ResponseDataType = Void
            var count = 0
            func makeRequest(from path: String) throws -> URLRequest {
                count += 1
                return .test(path, method: "DELETE")
            }
        }
        let request = Deletion()

        let report = try await checkLoader(of: request, with: .status(204), from: "a")

        #expect(report.situations.count == request.count)
        #expect(report.situations.filter { $0 == .status(204) || $0 == .emptyBody } == [])
        #expect(report[.success] == .value)
    }

    @Test func aRequestOfAnActorStaysThere() async throws {
        final class Confined: APIRequest {
            unowned let owner: any Actor
            init(_ owner: any Actor) { self.owner = owner }
            func makeRequest(from data: Void) throws -> URLRequest {
                owner.preconditionIsolated()
                return .test("a")
            }
            func parseResponse(data: Data) throws -> String {
                owner.preconditionIsolated()
                return data.text
            }
        }
        actor Owner {
            func check() async throws -> LoaderReport {
                try await checkLoader(of: Confined(self), with: .text("a"))
            }
        }

        let report = try await Owner().check()

        #expect(report[.success] == .value)
    }

    private func failure(_ sample: MockResponse, from id: Int) async throws -> LoaderFailure {
        try await #require(throws: LoaderFailure.self) {
            try await checkLoader(
                of: UserRequest(), with: sample, from: id, fileID: "App/UserTests.swift", line: 12)
        }
    }

    @Test func theSampleMustGiveAValue() async throws {
        let failure = try await failure(.json(#"{"nom": "Emma"}"#), from: 42)

        #expect(
            "\(failure)".hasPrefix(
                """
                UserRequest failed its check (App/UserTests.swift:12):
                  success: must end in a value, but ended in .parse: GET \
                https://api.example.com/users/42 got an answer that could not be parsed
                """))
        // The rest would say the same again.
        #expect(failure.findings.count == 1)
        #expect(failure.report.situations == [.success])
        #expect(failure.report[.success] == .error(.parse))
    }

    @Test func theRequestMustBeMade() async throws {
        let failure = try await failure(Self.sample, from: -1)

        #expect(failure.findings.count == 1)
        #expect(failure.findings[0].contains("ended in .makeRequest: The call failed before"))
        #expect(failure.findings[0].contains("TestError(number: -1)"))
    }

    /// Hangs when it parses for the third time.
    private struct Moody: APIRequest {
        let count = Locked(0)
        let hangs: Milestone
        let forever = DispatchSemaphore(value: 0)

        func makeRequest(from data: Void) throws -> URLRequest { .test("a") }
        func validateResponse(data: Data, response: HTTPURLResponse) throws {}
        func parseResponse(data: Data) throws -> String {
            let count = count.withLock {
                $0 += 1
                return $0
            }
            if count == 3 {
                hangs.update { $0 = 1 }
                forever.wait()
            }
            return data.text
        }
    }

    @Test func aLoadThatHangsIsGivenUp() async throws {
        // A gate would open when the first wait for it is cancelled.
        let hangs = Milestone()
        let request = Moody(hangs: hangs)
        let check = LoaderCheck(
            request: request, input: (), sample: Self.sample,
            watchdog: Watchdog { _ in await hangs.wait(for: 1) })

        // From here on the watchdog bites at once, so only the first finding is certain.
        let (report, findings) = try await check.run()
        request.forever.signal()

        #expect(report[.status(201)] == .value)
        #expect(report[.status(204)] == nil)
        #expect(
            findings.first == """
                status 204: did not end within a second; GET https://api.example.com/a has had \
                its answer for a while
                """)
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
    func aBadSampleIsRefused(_ sample: MockResponse, _ mistake: String) async {
        let error = await #expect(throws: MockFailure.self) {
            try await checkLoader(
                of: UserRequest(), with: sample, from: 1, fileID: "A/B.swift", line: 3)
        }
        #expect(
            error?.description
                == "checkLoader(of:with:from:) cannot use its sample: \(mistake) (A/B.swift:3)")
    }
}
