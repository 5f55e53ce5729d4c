import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct CheckLoaderTests {
    struct User: Codable, Sendable {
        var name: String
    }

    struct UserRequest: APIRequest {
        typealias ResponseDataType = User

        func makeRequest(from id: Int) throws -> URLRequest {
            .test("users/\(id)")
        }
    }

    private static let sample = MockResponse.json(#"{"name": "Emma"}"#)

    @Test func theReportHasATable() async throws {
        let report = try await checkLoader(of: UserRequest(), with: Self.sample, from: 42)

        #expect(
            report.table == """
                no fault                               value
                status 201                             value
                status 204                             .parse
                status 301                             .validate
                status 304                             .validate
                status 400                             .validate
                status 401                             .validate
                status 403                             .validate
                status 404                             .validate
                status 409                             .validate
                status 422                             .validate
                429 with Retry-After: 120              .validate
                status 500                             .validate
                status 502                             .validate
                503 with Retry-After: 120              .validate
                status 504                             .validate
                HTML from a proxy, status 200          .parse
                HTML from a proxy, status 502          .validate
                empty body                             .parse
                truncated to 8 bytes                   .parse
                every value of another type            .parse
                object and array exchanged at the top  .parse
                null at $                              .parse
                URLError.notConnectedToInternet        .transport
                URLError.timedOut                      .transport
                URLError.networkConnectionLost         .transport
                URLError.cannotFindHost                .transport
                URLError.secureConnectionFailed        .transport
                URLError.cancelled                     .transport
                no answer                              .transport
                connection lost before the headers     .transport
                connection lost after 8 bytes          .transport
                cancelled before                       .transport, cancelled
                cancelled during                       .transport, cancelled
                """)
        #expect(report[.status(404)] == .error(.validate))
        #expect(report[.cancelledDuring] == .error(.transport, isCancellation: true))
        #expect(report[.status(418)] == nil)
        #expect(report == (try await checkLoader(of: UserRequest(), with: Self.sample, from: 42)))
    }

    @Test func aFaultThatTheRequestAcceptsIsNotReported() async throws {
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

        #expect(report.faults.count == request.count)
        #expect(report.faults.filter { $0 == .status(204) || $0 == .emptyBody } == [])
        #expect(report[.noFault] == .value)
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
            func check() async throws -> FaultReport {
                try await checkLoader(of: Confined(self), with: .text("a"))
            }
        }

        let report = try await Owner().check()

        #expect(report[.noFault] == .value)
    }
}
