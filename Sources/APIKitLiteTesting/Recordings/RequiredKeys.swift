import APIKitLite
import Foundation

/// Returns the keys in a recorded answer that a request requires.
///
/// A key is required if the request does not parse the answer without it. If the request does not
/// parse another string there, for an enum for example, the result contains
/// `$.role: only known values`. The function changes the JSON at one place at a time, and calls
/// `parseResponse`:
///
/// ```swift
/// let keys = try requiredKeys(of: UserRequest(), in: archive[0])
/// #expect(keys == ["$.id", "$.name"])
/// ```
///
/// In an array, the function changes only the first element.
///
/// - Parameters:
///   - request: The request, whose `parseResponse` is called.
///   - exchange: The exchange with the answer.
/// - Returns: The places. The keys of each object are sorted.
/// - Throws: ``HTTPArchiveError`` if the answer is not JSON; `APIRequestError` if the request does not
///   parse the answer as it is.
public func requiredKeys<Request: APIRequest>(
    of request: Request, in exchange: HTTPArchive.Exchange
) throws -> [String] {
    let response = exchange.response ?? HTTPURLResponse()
    guard exchange.response != nil, let json = try? JSONText.read(exchange.body) else {
        throw HTTPArchiveError("The answer to \(exchange) is not JSON, so it has no keys.")
    }
    do {
        _ = try request.parseResponse(data: exchange.body, response: response)
    } catch {
        throw APIRequestError(
            stage: .parse, request: exchange.request, response: response, data: exchange.body,
            underlying: error, redaction: request.redaction)
    }
    func parses(_ tree: Any) -> Bool {
        guard
            let data = try? JSONSerialization.data(
                withJSONObject: tree, options: .fragmentsAllowed)
        else { return true }
        return (try? request.parseResponse(data: data, response: response)) != nil
    }
    var places: [String] = []
    /// Looks at a value, which `replace` replaces in the whole tree.
    func look(at value: Any, place: String, replace: (Any) -> Any) {
        switch value {
        case let object as [String: Any]:
            for (key, member) in object.sorted(by: { $0.key < $1.key }) {
                let place = place + JSONText.step(key)
                var rest = object
                rest[key] = nil
                if !parses(replace(rest)) { places.append(place) }
                look(at: member, place: place) { new in
                    replace(object.merging([key: new]) { $1 })
                }
            }
        case let list as [Any]:
            guard let first = list.first else { return }
            look(at: first, place: place + "[]") { new in replace([new] + list.dropFirst()) }
        case is String:
            let isFree = [
                "a string that no enum knows", "https://example.com/a", "2001-02-03T04:05:06Z", "1",
                "2001-02-03", "00000000-0000-4000-8000-000000000000", "QUJD",
            ]
            .contains { parses(replace($0)) }
            if !isFree { places.append("\(place): only known values") }
        default: break
        }
    }
    look(at: json, place: "$") { $0 }
    return places
}
