import APIKitLite
import Foundation

/// Loads a request once under each of about thirty faults, and reports at which stage each load
/// ended.
///
/// The faults are those of servers and networks which matter to every request, so that a test need
/// not list them. Each load uses a real `APIRequestLoader` and a ``MockNetwork`` of its own:
///
/// ```swift
/// let report = try await checkLoader(
///     of: UserRequest(), with: .json(#"{"name": "Emma"}"#), from: 42)
///
/// #expect(report[.status(404)] == .error(.validate))
/// ```
///
/// ```
/// no fault                            value
/// status 404                          .validate
/// HTML from a proxy, status 200       .parse
/// connection lost before the headers  .transport
/// ```
///
/// The right outcome depends on the request, so most outcomes are only reported. But every request
/// must meet these requirements:
/// - The sample ends in a value.
/// - A transport error ends in the stage `.transport`, and is not a cancellation.
/// - A cancelled load ends in the stage `.transport`, and is a cancellation. If it was cancelled
///   before it began, it sends nothing.
/// - Every load ends within a second of real time.
///
/// - Parameters:
///   - request: The request to check.
///   - sample: A good answer to the request.
///   - input: The value from which the request is made.
///   - isolation: The caller's actor, on which the loads run.
///   - fileID: The file that an error names.
///   - line: The line that an error names.
/// - Returns: The outcome under each fault. `print(report.table)` shows all of them.
/// - Throws: ``FaultError``, which names each requirement that the request failed; ``MockError``
///   when the sample is not usable; `CancellationError` when the task is cancelled.
@discardableResult
public func checkLoader<T: APIRequest>(
    of request: T, with sample: MockResponse, from input: T.RequestDataType,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line
) async throws -> FaultReport {
    try await LoaderCheck(
        request: request, input: input, sample: sample, sourceLocation: "\(fileID):\(line)"
    ).report()
}

/// Loads a request that needs no input once under each of about thirty faults, and reports at which
/// stage each load ended.
///
/// The requirements are the same as for a request with an input.
///
/// - Parameters:
///   - request: The request to check.
///   - sample: A good answer to the request.
///   - isolation: The caller's actor, on which the loads run.
///   - fileID: The file that an error names.
///   - line: The line that an error names.
/// - Returns: The outcome under each fault. `print(report.table)` shows all of them.
/// - Throws: ``FaultError``, which names each requirement that the request failed; ``MockError``
///   when the sample is not usable; `CancellationError` when the task is cancelled.
@discardableResult
public func checkLoader<T: APIRequest>(
    of request: T, with sample: MockResponse, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> FaultReport where T.RequestDataType == Void {
    try await checkLoader(
        of: request, with: sample, from: (), isolation: isolation, fileID: fileID, line: line)
}

/// Reads the elements of a stream once under each of about forty faults, and reports at which stage
/// each load ended.
///
/// The faults are those of any request. A body of several pieces is also cut between them, stops
/// arriving, and repeats a piece. The requirements are the same, and these in addition:
/// - If a part of the body arrives, the elements are the first ones of the sample.
/// - If the format has a terminator, such as `[DONE]`, a part of the elements without an error is
///   not accepted. Without one, a lost connection is still an error.
///
/// - Parameters:
///   - request: The request to check.
///   - sample: A good answer to the request.
///   - input: The value from which the request is made.
///   - isolation: The caller's actor, on which the loads run.
///   - fileID: The file that an error names.
///   - line: The line that an error names.
/// - Returns: The outcome under each fault. `print(report.table)` shows all of them.
/// - Throws: ``FaultError``, which names each requirement that the request failed; ``MockError``
///   when the sample is not usable; `CancellationError` when the task is cancelled.
@discardableResult
public func checkLoader<T: StreamedAPIRequest>(
    of request: T, with sample: MockResponse, from input: T.RequestDataType,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line
) async throws -> FaultReport {
    try await LoaderCheck(
        request: request, input: input, sample: sample, sourceLocation: "\(fileID):\(line)"
    ).streaming().report()
}

/// Reads the elements of a stream that needs no input once under each of about forty faults, and
/// reports at which stage each load ended.
///
/// The requirements are the same as for a stream with an input.
///
/// - Parameters:
///   - request: The request to check.
///   - sample: A good answer to the request.
///   - isolation: The caller's actor, on which the loads run.
///   - fileID: The file that an error names.
///   - line: The line that an error names.
/// - Returns: The outcome under each fault. `print(report.table)` shows all of them.
/// - Throws: ``FaultError``, which names each requirement that the request failed; ``MockError``
///   when the sample is not usable; `CancellationError` when the task is cancelled.
@discardableResult
public func checkLoader<T: StreamedAPIRequest>(
    of request: T, with sample: MockResponse, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> FaultReport where T.RequestDataType == Void {
    try await checkLoader(
        of: request, with: sample, from: (), isolation: isolation, fileID: fileID, line: line)
}
