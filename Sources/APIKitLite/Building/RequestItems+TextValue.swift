import Foundation

extension RequestItems {
    /// A value of a request as text, or the reason why it has none.
    package enum TextValue: Equatable, Sendable {
        case text(String)
        /// A name without a value.
        case flag
        /// The elements of a collection, none of which is a list or unusable.
        case list([TextValue])
        /// What the value is, and what to pass in its place: the end of a sentence.
        case unusable(String)

        /// Reads a value. If it is nil, or an optional that is nil, returns nil.
        init?(_ value: Any?) {
            guard let value else { return nil }
            // The cast unwraps an optional, however deep.
            guard let value = value as? any CustomStringConvertible else {
                let mirror = Mirror(reflecting: value)
                if mirror.displayStyle == .optional, mirror.children.isEmpty { return nil }
                self = .unusable(
                    "is of type \(type(of: value)), which has no description. Give text.")
                return
            }
            switch value {
            case is NSNull:
                return nil
            case is QueryFlag:
                self = .flag
            case is any StringProtocol:
                self = .text(value.description)
            case is Date:
                self = .unusable(
                    "is a Date without a format. Choose one, such as date.formatted(.iso8601).")
            case is any RangeExpression:
                self = .unusable("is a range. Give text, such as \"bytes=0-5\", or Array(range).")
            case let sequence as any Sequence:
                self = Self.list(of: sequence)
            case _ where !isFinite(value):
                self = .unusable("is \(value), which is not a number. Give a finite one.")
            default:
                self = .text(value.description)
            }
        }

        private static func list(of sequence: any Sequence) -> TextValue {
            switch sequence {
            case is Data:
                return .unusable("is Data. Give text, such as data.base64EncodedString().")
            case is any ExpressibleByDictionaryLiteral:
                return .unusable("is a dictionary. Give each of its values a name of its own.")
            case is any SetAlgebra:
                return .unusable(
                    "is a set, which has no order. Give an array, such as ids.sorted().")
            case let collection as any Collection:
                var elements: [TextValue] = []
                for case let element? in collection.map({ TextValue($0) }) {
                    switch element {
                    case .list:
                        return .unusable("is a list of lists. Give one array of plain values.")
                    case .unusable(let reason): return .unusable("has an element that \(reason)")
                    case .text, .flag: elements.append(element)
                    }
                }
                return .list(elements)
            default:
                return .unusable("is a sequence. Give an array.")
            }
        }

        /// Returns the texts, of which a list has one for each element. The text of a flag is nil.
        func texts(name: String) throws -> [String?] {
            switch self {
            case .text(let text): [text]
            case .flag: [nil]
            case .list(let elements): try elements.flatMap { try $0.texts(name: name) }
            case .unusable(let reason):
                throw RequestBuildingError("The value for", name, reason)
            }
        }
    }
}

private func isFinite(_ value: any CustomStringConvertible) -> Bool {
    switch value {
    case let number as any FloatingPoint: number.isFinite
    case let number as Decimal: !number.isNaN
    case let number as NSNumber: number.doubleValue.isFinite
    default: true
    }
}
