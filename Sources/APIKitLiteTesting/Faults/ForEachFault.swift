import APIKitLite
import Foundation

/// Runs a body of code with a good answer, and then once for each fault of that answer.
///
/// Each run has its own network, which gives the faulty answer to every request. Hand-written
/// tests rarely cover a connection that ends after the 17th byte. This function tries all faults of
/// ``Fault/all(of:)``:
///
/// ```swift
/// let sample = MockResponse.json(#"{"name": "Emma"}"#)
/// try await forEachFault(in: sample) { network in
///     let loader = APIRequestLoader(
///         apiRequest: UserRequest(), urlSession: network.urlSession)
///     return try await loader.load(42)
/// }
/// ```
///
/// With the good answer, the body must return a value. Under a fault it must return a value or throw
/// an `APIRequestError`; if the fault is a cancellation, it may also throw a `CancellationError`. An
/// expectation within the body can show the fault: ``Fault/current``.
///
/// The body may use the network as the session, over its `urlSession`, or over its server. Timeouts
/// and slow bytes take no real time. Up to 16 bodies run at once. If the code around the closure runs
/// on an actor, the body does too.
///
/// - Parameters:
///   - sample: A good answer.
///   - errorType: The type of the errors that the client throws: `APIRequestError`, or a type of its
///     own. An error of another type fails the run.
///   - timeLimit: The real time after which a body counts as hung; on a busy machine, it is longer.
///     The time in which the clock moves, or in which the main actor is busy with other work, does
///     not count.
///   - fileID: The file that an error names.
///   - line: The line that an error names.
///   - body: The code to run, which receives the network.
/// - Returns: The outcome under each fault.
/// - Throws: ``FaultError``, which names each fault under which the body hung or threw another
///   error; ``MockError`` when the sample is not usable; `CancellationError` when the task is
///   cancelled.
@discardableResult
public func forEachFault<R, E: Error>(
    in sample: MockResponse, throwing errorType: E.Type = APIRequestError.self,
    timeLimit: Duration = .seconds(10), fileID: StaticString = #fileID, line: UInt = #line,
    // As in `Task.init`: otherwise a body on the main actor would have to be marked `@MainActor`.
    @_inheritActorContext _ body: @escaping @Sendable (MockNetwork) async throws -> R
) async throws -> FaultReport {
    try await forEachFault(
        in: sample, throwing: errorType, timeLimit: timeLimit, fileID: fileID, line: line
    ) { network, _ in
        _ = try await body(network)
    }
}

/// Runs a body of code with a good answer, and then once for each fault of that answer, with the clock
/// of the network.
///
/// Use it for a client that waits. A policy that retries after 120 seconds waits on this clock, and
/// the clock advances automatically as soon as nothing else happens. Without it, the policy would
/// wait in real time:
///
/// ```swift
/// try await forEachFault(in: sample) { network, clock in
///     let session = network.urlSession.retrying(.standard, clock: clock)
///     return try await session.load(UserRequest(), 42)
/// }
/// ```
///
/// The requirements and the parameters are those of a body without a clock.
@discardableResult
public func forEachFault<R, E: Error>(
    in sample: MockResponse, throwing errorType: E.Type = APIRequestError.self,
    timeLimit: Duration = .seconds(10), fileID: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ body: @escaping @Sendable (MockNetwork, MockClock) async throws -> R
) async throws -> FaultReport {
    let run = FaultRun(
        sample: sample, faults: Fault.all(of: sample), timeLimit: timeLimit,
        sourceLocation: "\(fileID):\(line)",
        advice: ["A body must end in a value or \(E.self). For another type, pass `throwing:`."]
    ) { fault, network, clock in
        do {
            _ = try await body(network, clock)
            return .success((.value, nil))
        } catch  where fault == .noFault {
            return .failure(.init(fault: fault, event: "threw \(error)", kind: ""))
        } catch let error as E {
            let outcome = (error as? APIRequestError).map(LoadOutcome.init)
            return .success((outcome ?? .thrown(text(of: error)), error))
        } catch let error as CancellationError where fault.isCancellation {
            return .success((.thrown("CancellationError"), error))
        } catch {
            let event = "threw \(text(of: error)), not \(E.self)"
            return .failure(.init(fault: fault, event: event, kind: "\(type(of: error))"))
        }
    }
    return try await run.report()
}

/// Returns the text of an error, without secrets.
private func text(of error: any Error) -> String {
    if let error = error as? URLError { return URLError.name(of: error.code) }
    // The first line says enough; the last one of an `APIRequestError` is a curl command.
    let text = String("\(error)".prefix { !$0.isNewline }).excerpt(limit: 100)
    let type = "\(type(of: error))"
    return text.hasPrefix(type) ? text : "\(type) (\(text))"
}
