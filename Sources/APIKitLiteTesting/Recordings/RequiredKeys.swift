import APIKitLite
import Foundation

/// Returns the places in a recorded answer that a request cannot do without.
///
/// A key is required if the request does not parse the answer without it. `$.role: only known values`
/// says that the request does not parse another string there, as an enum without an unknown case. They
/// are found by changing the JSON at one place at a time:
///
/// ```swift
/// #expect(try requiredKeys(of: UserRequest(), in: archive[0]) == ["$.id", "$.name"])
/// ```
///
/// Of the elements of an array, the first one is changed.
///
/// - Parameters:
///   - request: The request, whose `parseResponse` is called.
///   - exchange: The exchange with the answer.
/// - Returns: The places in the order of their names.
/// - Throws: ``HTTPArchiveError`` if the answer is not JSON; the error of the request if it does not
///   parse the answer as it is.
public func requiredKeys<Request: APIRequest>(
    of request: Request, in exchange: HTTPArchive.Exchange
) throws -> [String] {
    let response = exchange.response ?? HTTPURLResponse()
    guard exchange.response != nil, let json = try? JSONText.read(exchange.body) else {
        throw HTTPArchiveError("The answer to \(exchange) is not JSON, so it has no keys.")
    }
    _ = try request.parseResponse(data: exchange.body, response: response)
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
