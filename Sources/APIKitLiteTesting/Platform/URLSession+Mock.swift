import APIKitLite
import Foundation

#if canImport(FoundationNetworking)
extension URLSessionConfiguration {
    /// Keeps an object alive as long as the configuration, a copy or one of their sessions exists.
    ///
    /// A mock uses no proxy, so the object can be stored in the proxy dictionary.
    func retain(_ object: any AnyObject & Sendable) {
        connectionProxyDictionary = ["APIKitLite.MockNetwork": object]
    }
}
#else
extension URLSessionConfiguration {
    func retain(_ object: any AnyObject & Sendable) {
        let retainer = Retainer()
        retainer.object = object
        urlCredentialStorage = retainer
    }

    // The copies of a configuration share its credential storage.
    private final class Retainer: URLCredentialStorage, @unchecked Sendable {  // Set only once.
        var object: (any AnyObject & Sendable)?
    }
}
#endif

extension URLSession {
    convenience init(mocked configuration: URLSessionConfiguration) {
        #if canImport(FoundationNetworking)
        let queue = OperationQueue.serial(label: "APIKitLite.MockNetwork.delegateQueue")
        #else
        let queue: OperationQueue? = nil
        #endif
        self.init(configuration: configuration, delegate: nil, delegateQueue: queue)
    }
}

extension URLSessionUploadTask {
    /// Returns the body that Foundation on Linux keeps in a private property, or nil on Apple
    /// platforms, or if that body is neither data nor a file.
    ///
    /// - Throws: Any error from reading the body's file.
    func hiddenBody() throws -> Data? {
        let body: Any? = mirrored("knownBody")
        switch body.flatMap(Self.source) {
        case let data as DispatchData: return Data(data)
        case let file as URL: return try Data(contentsOf: file)
        default: return nil
        }
    }

    /// Returns the data, or the URL of the file, inside nested optionals and enum cases.
    private static func source(_ body: Any) -> Any? {
        if body is DispatchData || body is URL { return body }
        return Mirror(reflecting: body).children.lazy.compactMap { source($0.value) }.first
    }
}
