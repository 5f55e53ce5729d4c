import APIKitLite
import Foundation

/// Runs a body of code with a good response, and then once for each fault of that response.
///
/// Each run has its own network, which returns the run's response to every request. Hand-written
/// tests rarely cover a connection that is lost after the 17th byte. This function tries every
/// fault of the response, and ``FaultReport/faults`` lists the faults.
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
/// With the good response, the body must return a value. Under a fault, the body must return a
/// value or throw an error of `errorType`. If the fault is a cancellation, the body may also throw
/// a `CancellationError`. Use ``Fault/current`` to show the fault in the body's expectations.
///
/// The body may use the network as a session, through its `urlSession`, or through its server.
/// Request timeouts and slow responses take no real time. The body runs for up to 16 faults at the
/// same time. If the code around the closure runs on an actor, the body runs on that actor too.
///
/// - Parameters:
///   - sample: A good response.
///   - errorType: The type of error that the client throws: `APIRequestError`, or the client's own
///     type. Any other error fails the run, except a `CancellationError` under a cancellation.
///   - timeLimit: The real time after which a body counts as hung, extended on a busy machine. Time
///     during which the network's clock moves, or the main actor is busy, does not count.
///   - fileID: The file to name in an error.
///   - line: The line to name in an error.
///   - body: The code to run, which receives the network.
/// - Returns: The outcome under each fault.
/// - Throws: ``FaultError`` if the body failed with the good response, or if, under a fault, it
///   hung or threw an error of a type that is not allowed; ``MockError`` if the sample is not
///   usable; `CancellationError` if the task is cancelled.
@discardableResult
public func forEachFault<R, E: Error>(
    in sample: MockResponse, throwing errorType: E.Type = APIRequestError.self,
    timeLimit: Duration = .seconds(10), fileID: StaticString = #fileID, line: UInt = #line,
    // `Task.init` has the same attribute. Without this attribute, a body on the main actor would
    // need to be marked `@MainActor`.
    @_inheritActorContext _ body: @escaping @Sendable (MockNetwork) async throws -> R
) async throws -> FaultReport {
    try await forEachFault(
        in: sample, throwing: errorType, timeLimit: timeLimit, fileID: fileID, line: line
    ) { network, _ in
        _ = try await body(network)
    }
}

/// Runs a body of code with a good response, and then once for each fault of that response. The
/// body also receives the network's clock.
///
/// Use this function for a client that waits. A policy that retries after 120 seconds waits on this
/// clock, which advances automatically when nothing else is happening. Without the clock, the
/// policy would wait in real time.
///
/// ```swift
/// try await forEachFault(in: sample) { network, clock in
///     let session = network.urlSession.retrying(.standard, clock: clock)
///     return try await session.load(UserRequest(), 42)
/// }
/// ```
///
/// The requirements and parameters are the same as for a body without a clock.
@discardableResult
public func forEachFault<R, E: Error>(
    in sample: MockResponse, throwing errorType: E.Type = APIRequestError.self,
    timeLimit: Duration = .seconds(10), fileID: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ body: @escaping @Sendable (MockNetwork, MockClock) async throws -> R
) async throws -> FaultReport {
    let run = FaultRun(
        sample: sample, faults: Fault.all(of: sample), timeLimit: timeLimit,
        sourceLocation: "\(fileID):\(line)",
        advice: "A body must end in a value or \(E.self). For another type, pass `throwing:`."
    ) { fault, network, clock in
        do {
            _ = try await body(network, clock)
            return .success(.value)
        } catch  where fault == .noFault {
            return .failure(.init(fault: fault, event: "threw \(error)", kind: ""))
        } catch let error as E {
            let outcome = (error as? APIRequestError).map {
                LoadOutcome.error($0.stage, isCancellation: $0.isCancellation)
            }
            return .success(outcome ?? .thrown(text(of: error)))
        } catch is CancellationError where fault.isCancellation {
            return .success(.thrown("CancellationError"))
        } catch {
            let event = "threw \(text(of: error)), not \(E.self)"
            return .failure(.init(fault: fault, event: event, kind: "\(type(of: error))"))
        }
    }
    return try await run.report()
}

/// Returns a short description of an error.
private func text(of error: any Error) -> String {
    if let error = error as? URLError { return URLError.name(of: error.code) }
    // Show only the first line, because the last line of an `APIRequestError` is a curl command.
    let text = String("\(error)".prefix { !$0.isNewline }).excerpt(limit: 100)
    let type = "\(type(of: error))"
    return text.hasPrefix(type) ? text : "\(type) (\(text))"
}
