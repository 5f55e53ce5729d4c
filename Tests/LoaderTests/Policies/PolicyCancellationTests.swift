import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Each policy, cancelled or left at each moment of a request: its caller gets a cancellation, and the
/// transfer ends.
@Suite(.limited, .usesSockets) struct PolicyCancellationTests {
    enum Policy: CaseIterable {
        case none, timingOut, retrying, limited, coalescing, authenticated, redirecting
        case intercepting, mapping, observed, all

        func around(_ session: any HTTPSession) -> any HTTPSession {
            let clock = MockClock()
            switch self {
            case .none: return session
            case .timingOut:
                return session.timingOut(after: .seconds(9), idle: .seconds(9), clock: clock)
            case .retrying: return session.retrying(clock: clock)
            case .limited: return session.limited(to: 1)
            case .coalescing: return session.coalescing()
            case .authenticated: return session.authenticated(by: .bearer("token"))
            case .redirecting: return session.redirecting(.sameOrigin)
            case .intercepting: return session.intercepting { try await $1($0) }
            case .mapping:
                return session.intercepting { request, next in
                    let (body, response) = try await next(request)
                    return (body.map { $0 }, response)
                }
            case .observed: return session.observed { _ in }
            case .all: return Self.allCases.dropLast().reduce(session) { $1.around($0) }
            }
        }
    }

    enum Moment: CaseIterable {
        case before, beforeAStream, sending, sendingAStream, reading, left, released
    }

    @Test(arguments: Policy.allCases, Moment.allCases)
    func endsTheTransfer(_ policy: Policy, _ moment: Moment) async throws {
        await forEachRow(Transport.allCases) { transport, comment in
            // This clock stands still.
            let network = MockNetwork(clock: MockClock())
            let handlerHasEnded = Gate()
            network.stub(.get("/hanging")) { _ in
                defer { handlerHasEnded.open() }
                return try await waitForCancellation()
            }
            network.stub(.get("/stream"), .chunks(["a", "b"], every: .seconds(9)))
            let (wire, baseURL) = try transport.open(network)
            let session = policy.around(wire)
            let hanging = URLRequest(url: baseURL.appending(path: "hanging"))
            let isReading = Gate()

            let task = Task {
                switch moment {
                case .before, .beforeAStream: withUnsafeCurrentTask { $0?.cancel() }
                default: break
                }
                switch moment {
                case .before, .sending: _ = try await session.load(hanging, as: Data.self)
                case .beforeAStream, .sendingAStream: _ = try await session.stream(hanging)
                case .reading, .left, .released:
                    let (body, _) = try await session.stream(
                        URLRequest(url: baseURL.appending(path: "stream")))
                    if moment == .released { return }
                    for try await _ in body {
                        if moment == .left { break }
                        isReading.open()
                    }
                }
            }
            if moment == .sending || moment == .sendingAStream { await network.waitForRequests() }
            if moment == .reading { await isReading.wait() }
            if moment != .left, moment != .released { task.cancel() }

            switch await task.result {
            case .success: #expect(moment == .left || moment == .released, comment)
            case .failure(let error as APIRequestError):
                #expect(moment == .before || moment == .sending, comment)
                #expect(error.stage == .transport, comment)
                #expect(error.isCancellation, comment)
                #expect((error.underlying as? URLError)?.code == .cancelled, comment)
            case .failure(let error): #expect((error as? URLError)?.code == .cancelled, comment)
            }
            switch moment {
            case .before, .beforeAStream: #expect(network.requests.isEmpty, comment)
            default:
                await network.waitForResponses()
                #expect(network.requests.map(\.wasCancelled) == [true], comment)
            }
            // The task of the handler is cancelled too.
            if moment == .sending || moment == .sendingAStream { await handlerHasEnded.wait() }
        }
    }
}
