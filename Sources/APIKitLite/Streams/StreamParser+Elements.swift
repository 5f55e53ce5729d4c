import Foundation

// If an element type's `Decodable` conformance is isolated to the main actor, the type's parser is
// not `Sendable` and lacks these functions. To use them, declare the element type `nonisolated`.
extension StreamParser where Self: Sendable {
    /// Returns a parser that transforms the elements of this parser.
    ///
    /// - Parameter transform: A function that returns the new element. If the function throws, the
    ///   earlier elements are delivered, and the stream fails with the function's error in the
    ///   stage ``APIRequestError/Stage/parse``.
    public func map<T>(
        _ transform: @escaping @Sendable (Element) throws -> T
    ) -> some StreamParser<T> & Sendable {
        DerivedParser(base: self) { (try transform($0), false) }
    }

    /// Returns a parser that transforms the elements of this parser, and leaves out nil results.
    ///
    ///     ServerSentEvents().compactMap { event in
    ///         // Continues after data that cannot be decoded.
    ///         try? event.decode(Delta.self)
    ///     }
    ///
    /// To resume a stream after an element, store its event's ``ServerSentEvent/id`` in the
    /// element.
    ///
    /// - Parameter transform: A function that returns the new element, or nil for no element. If
    ///   the function throws, the earlier elements are delivered, and the stream fails with the
    ///   function's error in the stage ``APIRequestError/Stage/parse``.
    public func compactMap<T>(
        _ transform: @escaping @Sendable (Element) throws -> T?
    ) -> some StreamParser<T> & Sendable {
        DerivedParser(base: self) { (try transform($0), false) }
    }

    /// Returns a parser that ends at the first element for which a function returns true.
    ///
    ///     ServerSentEvents().until { $0.event == "message_stop" }
    ///     JSONLines(Progress.self).until { $0.isDone }
    ///
    /// That element is delivered, and the transfer ends. If the body ends without such an element,
    /// the elements before the end are delivered, and the stream fails with
    /// ``StreamError/unfinished(elementCount:)``.
    ///
    /// Without `until`, a truncated body can look complete, because a server or a proxy can end it
    /// at any point without a connection error. If this parser already ends at another element, the
    /// first of the two elements ends the stream.
    ///
    /// - Parameter isLast: A function that returns whether an element is the last one. If the
    ///   function throws, the earlier elements are delivered, and the stream fails with the
    ///   function's error in the stage ``APIRequestError/Stage/parse``.
    public func until(
        _ isLast: @escaping @Sendable (Element) throws -> Bool
    ) -> some StreamParser<Element> & Sendable {
        DerivedParser(base: self, needsLast: true) { ($0, try isLast($0)) }
    }
}

/// A parser that transforms the elements of another parser.
struct DerivedParser<Base: StreamParser & Sendable, Element>: StreamParser, Sendable {
    var base: Base
    /// Whether the body must not end before the last element.
    var needsLast = false
    let derive: @Sendable (Base.Element) throws -> (element: Element?, isLast: Bool)
    var count = 0
    var hasLast = false

    var isComplete: Bool { hasLast || base.isComplete }
    var mediaTypes: [String] { base.mediaTypes }

    mutating func parse(_ bytes: Data, into elements: inout [Element]) throws {
        try append(bytes, to: &elements)
    }

    mutating func finish(into elements: inout [Element]) throws {
        try append(nil, to: &elements)
        if needsLast, !isComplete { throw StreamError.unfinished(elementCount: count) }
    }

    private mutating func append(_ bytes: Data?, to elements: inout [Element]) throws {
        var (count, hasLast) = (count, hasLast)
        defer { (self.count, self.hasLast) = (count, hasLast) }
        try base.forEach(in: bytes) { [derive] element in
            let (new, isLast) = try derive(element)
            if let new { elements.append(new) }
            count += 1
            // Anything after the last element is ignored, even if it cannot be parsed.
            hasLast = isLast
            return !isLast
        }
    }
}

extension StreamParser {
    /// Parses a piece of the body, or the body's end if `bytes` is nil, and calls a function with
    /// each element until the function returns false. If parsing throws, the function first
    /// receives the elements before the error.
    mutating func forEach(in bytes: Data?, _ use: (Element) throws -> Bool) throws {
        var parsed: [Element] = []
        let result = Result { try parseNext(bytes, into: &parsed) }
        for element in parsed {
            guard try use(element) else { return }
        }
        try result.get()
    }
}
