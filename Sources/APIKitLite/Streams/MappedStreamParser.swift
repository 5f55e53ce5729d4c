import Foundation

/// A parser of the elements of another parser, each of which a function has changed or left out.
///
/// ``StreamParser/map(_:)`` and ``StreamParser/compactMap(_:)`` return it.
public struct MappedStreamParser<Base: StreamParser, Element>: StreamParser {
    /// The other parser, such as a ``ServerSentEvents`` with its ``ServerSentEvents/lastEventID``.
    ///
    /// It may be ahead of the elements that have been delivered. To resume after an element, keep
    /// the ``ServerSentEvent/id`` of its event in it.
    public private(set) var base: Base
    fileprivate let transform: (Base.Element) throws -> Element?

    /// Whether the other parser has parsed its last element.
    public var isComplete: Bool { base.isComplete }

    /// The media types of the other parser.
    public var mediaTypes: [String] { base.mediaTypes }

    /// Appends the changed elements that are complete with a piece of the body.
    ///
    /// - Throws: The error of the function or of the other parser, whichever comes first.
    public mutating func parse(_ bytes: Data, into elements: inout [Element]) throws {
        try append(to: &elements) { base, parsed in try base.parse(bytes, into: &parsed) }
    }

    /// Appends the changed elements that are complete with the end of the body.
    ///
    /// - Throws: The error of the function or of the other parser, whichever comes first.
    public mutating func finish(into elements: inout [Element]) throws {
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

extension StreamParser {
    /// Returns a parser of the elements that a function makes of the elements of this parser.
    ///
    /// - Parameter transform: Returns the new element. If it throws, the elements before it are
    ///   delivered, and the stream fails with this error in the stage
    ///   ``APIRequestError/Stage/parse``.
    public func map<T>(
        _ transform: @escaping (Element) throws -> T
    ) -> MappedStreamParser<Self, T> {
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
    /// - Parameter transform: Returns the new element, or nil to leave it out. If it throws, the
    ///   elements before it are delivered, and the stream fails with this error in the stage
    ///   ``APIRequestError/Stage/parse``.
    public func compactMap<T>(
        _ transform: @escaping (Element) throws -> T?
    ) -> MappedStreamParser<Self, T> {
        MappedStreamParser(base: self, transform: transform)
    }
}
