import APIKitLite
import Foundation

extension RequestMatcher {
    /// Matches requests that equal `value`, which can come from an `APIRequest`.
    ///
    /// When you change the request type, the matcher changes with it:
    ///
    /// ```swift
    /// network.stub(.request(try UserRequest().makeRequest(from: 42)), .json("{}"))
    /// ```
    ///
    /// The matcher compares the method, the path, all query items, the headers set in `value`, and
    /// the body. JSON is compared by value, a form by its fields, a multipart body by its parts,
    /// and any other body by its bytes. If the URL is absolute, its scheme, host and port are
    /// compared too.
    ///
    /// - Parameter value: The request. A body stream of your own is consumed, so you cannot send
    ///   the request afterwards. A `GET` with a body, or a stream that cannot be read, is a
    ///   configuration error.
    public static func request(_ value: URLRequest) -> RequestMatcher {
        if RequestBody.refusal(of: value) != nil {
            return any.broken(
                ".request(_:) was given a GET with a body, which a URLSession does not send.")
        }
        let filled: URLRequest
        do {
            filled = try RequestBody.fill(value, nil)
        } catch {
            return any.broken(".request(_:) could not read the request's body stream: \(error)")
        }
        let reading = RequestReading(RecordedRequest(request: filled))
        var matcher = method(reading.method)
        matcher = value.url.map(matcher.url) ?? matcher
        let names = (filled.allHTTPHeaderFields ?? [:]).keys.sorted()
        return matcher.adding(
            headers: names.filter { value.value(forHTTPHeaderField: $0) != nil }, bodyOf: reading)
    }

    /// Returns a matcher that also requires some headers and the body of the given request. JSON,
    /// forms and multipart bodies are compared by content, and other bodies are compared by their
    /// bytes.
    func adding(headers: [String], bodyOf reading: RequestReading) -> RequestMatcher {
        let matcher = headers.reduce(self) { $0.header($1, reading.record.header($1)) }
        if case .success(let parts) = reading.multipart {
            let count = parts.count
            return parts.reduce(matcher) { matcher, part in
                // The type of a text field does not matter.
                matcher.part(
                    part.name, fileName: part.fileName,
                    contentType: part.fieldText == nil ? part.contentType : nil, data: part.data)
            }.adding("\(count) \(count == 1 ? "part" : "parts")", readsBody: true) { live in
                (try? live.multipart?.get())?.count == count
            } or: { live in
                .has((try? live.multipart?.get()).map { "\($0.count)" } ?? "none")
            }
        }
        switch reading.json {
        case .success(let json): return matcher.adding(isRecorded ? .recorded : .equal, json)
        case nil: return matcher.body(reading.body)
        case .failure:
            return reading.declaredForm.map { matcher.adding(.form, exactly: $0) }
                ?? matcher.body(reading.body)
        }
    }
}
