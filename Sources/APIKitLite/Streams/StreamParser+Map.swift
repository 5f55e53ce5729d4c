import Foundation

extension StreamParser {
    /// Returns a parser of the elements that a function makes of the elements of this parser.
    ///
    /// - Parameter transform: Returns the new element. If it throws, the elements before it are
    ///   delivered, and the stream fails with this error in the stage
    ///   ``APIRequestError/Stage/parse``.
    public func map<T>(_ transform: @escaping (Element) throws -> T) -> some StreamParser<T> {
        compactMap { try .some(transform($0)) }
    }

    /// Returns a parser of the elements that a function makes of the elements of this parser,
    /// without those for which it returns nil.
    ///
    ///     ServerSentEvents().compactMap { event in
    ///         // Goes on after data that cannot be decoded.
    ///         try? JSONDecoder().decode(Delta.self, from: Data(event.data.utf8))
    ///     }
    ///
    /// To resume a stream after an element, keep the ``ServerSentEvent/id`` of its event in it.
    ///
    /// - Parameter transform: Returns the new element, or nil to leave it out. If it throws, the
    ///   elements before it are delivered, and the stream fails with this error in the stage
    ///   ``APIRequestError/Stage/parse``.
    public func compactMap<T>(
        _ transform: @escaping (Element) throws -> T?
    ) -> some StreamParser<T> {
        MappedStreamParser(base: self, transform: transform)
    }
}

/// A parser of the elements of another parser, each of which a function has changed or left out.
private struct MappedStreamParser<Base: StreamParser, Element>: StreamParser {
    var base: Base
    let transform: (Base.Element) throws -> Element?

    var isComplete: Bool { base.isComplete }
    var mediaTypes: [String] { base.mediaTypes }

    mutating func parse(_ bytes: Data, into elements: inout [Element]) throws {
        try append(to: &elements) { base, parsed in try base.parse(bytes, into: &parsed) }
    }

    mutating func finish(into elements: inout [Element]) throws {
        try append(to: &elements) { base, parsed in try base.finish(into: &parsed) }
    }

    private mutating func append(
        to elements: inout [Element], _ parse: (inout Base, inout [Base.Element]) throws -> Void
    ) throws {
        var parsed: [Base.Element] = []
        let result = Result { try parse(&base, &parsed) }
        for element in parsed {
            if let element = try transform(element) { elements.append(element) }
        }
        try result.get()
    }
}
