import APIKitLite
import Foundation

/// Drives a request through everything that a server and a network do to it, and reports at which
/// stage each load ended.
///
/// Every request needs the same thirty tests, and nobody writes them thirty times. These are them,
/// over a real `APIRequestLoader` on a ``MockNetwork``:
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
/// What is right for one request is wrong for another, so most outcomes are only reported. For
/// every request, though, the sample must give a value; a transport error must end in stage
/// `.transport` without being a cancellation; a cancelled load must end in `.transport`, be a
/// cancellation, and send nothing if it was cancelled before; and no load may hang.
///
/// - Parameters:
///   - request: The request to check.
///   - sample: A good answer to it.
///   - input: What the request is made from.
///   - isolation: The caller's actor, where the loads run.
///   - fileID: The file that an error names.
///   - line: The line that an error names.
/// - Returns: What the load ended in under each fault; `print(report.table)` shows all of it.
/// - Throws: ``FaultError``, which names each requirement that the request failed; ``MockError`` if
///   the sample is not usable; `CancellationError`.
@discardableResult
public func checkLoader<T: APIRequest>(
    of request: T, with sample: MockResponse, from input: T.RequestDataType,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line
) async throws -> FaultReport {
    let sourceLocation = "\(fileID):\(line)"
    try sample.checkAsSample(of: "checkLoader(of:with:from:)", at: sourceLocation)
    return try await LoaderCheck(
        request: request, input: input, sample: sample, sourceLocation: sourceLocation
    ).report()
}

/// Drives a request that needs no input through everything that a server and a network do to it.
@discardableResult
public func checkLoader<T: APIRequest>(
    of request: T, with sample: MockResponse, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> FaultReport where T.RequestDataType == Void {
    try await checkLoader(
        of: request, with: sample, from: (), isolation: isolation, fileID: fileID, line: line)
}
