import Foundation

extension JSONDecoder {
    /// Decodes the body of a response. An empty body is nil if the type is optional, and `Data` is
    /// the body itself.
    func decode<T: Decodable>(_ type: T.Type, fromBody data: Data) throws -> T {
        if data.isEmpty, let type = type as? any AnyOptional.Type, let none = type.empty as? T {
            return none
        }
        return try data as? T ?? decode(type, from: data)
    }
}
