import APIKitLite
import Foundation

extension StreamParser {
    /// Parses pieces as the reader of a stream does.
    ///
    /// - Returns: The elements that were delivered, and the error that ended them.
    mutating func deliver(_ pieces: some Sequence<Data>) -> (
        elements: [Element], error: (any Error)?
    ) {
        var delivered: [Element] = []
        do {
            for piece in pieces {
                try parse(piece, into: &delivered)
                if isComplete { return (delivered, nil) }
            }
            try finish(into: &delivered)
            return (delivered, nil)
        } catch {
            return (delivered, error)
        }
    }
}

extension StreamParser where Element: Equatable {
    /// Whether copies of this parser deliver the same elements, and then the same error, wherever a
    /// stream is cut. Errors of decoding count as equal.
    func delivers(
        _ elements: [Element], then error: (any Error)? = nil, of stream: String
    ) -> Bool {
        Data(stream.utf8).allPieces.allSatisfy { pieces in
            var parser = self
            let (found, failure) = parser.deliver(pieces)
            return found == elements && isSame(failure, error)
        }
    }

    private func isSame(_ error: (any Error)?, _ other: (any Error)?) -> Bool {
        switch (error, other) {
        case (is DecodingError, is DecodingError): true
        case (let error as StreamError, let other as StreamError): error == other
        default: error.map { "\($0)" } == other.map { "\($0)" }
        }
    }
}

extension Data {
    /// Two pieces, for every place at which the bytes can be cut.
    var splits: [[Data]] { (0...count).map { [prefix($0), dropFirst($0)] } }

    /// The whole data, every cut into two pieces, and one piece for each byte.
    var allPieces: [[Data]] { splits + [[self], bytes] }

    /// One piece for each byte.
    var bytes: [Data] { map { Data([$0]) } }

    /// Pieces of random lengths.
    func pieces(upTo longest: Int, using generator: inout some RandomNumberGenerator) -> [Data] {
        var pieces: [Data] = []
        var rest = self[...]
        while !rest.isEmpty {
            let count = Int.random(in: 0...longest, using: &generator)
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}
