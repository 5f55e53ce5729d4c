import Foundation

extension URLRequest {
    /// The body, if it is one of bytes and files that are read when the request is sent.
    package var repeatableBody: RepeatableBody? {
        (httpBodyStream as? RepeatableBodyStream)?.body
    }

    /// Whether the request can be sent more than once, because its body is not a stream that can
    /// be read only once.
    package var canBeSentAgain: Bool { httpBodyStream == nil || repeatableBody != nil }
}
