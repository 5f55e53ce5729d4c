#if canImport(FoundationNetworking)
import Foundation

/// A libcurl transfer, with the operations that work around Foundation's bugs.
///
/// Use a transfer only on its session's serial queue, where Foundation uses and frees the transfer.
/// A transfer is found by reflection, and Foundation's libcurl functions are found by `dlsym`. If a
/// lookup fails, as in a statically linked executable, the workarounds that need it do nothing.
///
/// This module uses private names only in this file. The names were checked with Swift 6.3.1's
/// Foundation and libcurl 7.88.1. If a workaround has no effect with a newer version, look for the
/// names in `Sources/FoundationNetworking/URLSession` and `CFURLSessionInterface.c` of
/// swift-corelibs-foundation.
struct Transfer {
    let handle: UnsafeMutableRawPointer
    private let easyHandle: AnyObject
    /// Whether Foundation has paused the transfer.
    let isPaused: Bool

    private init?(_ easyHandle: Any?) {
        guard let easyHandle, let state = property("pauseState", of: easyHandle),
            let handle = property("rawHandle", of: easyHandle) as? UnsafeMutableRawPointer
        else { return nil }
        (self.handle, self.easyHandle) = (handle, easyHandle as AnyObject)
        isPaused = property("rawValue", of: state) as? Int8 != 0
    }

    /// Finds the transfer of a task. Returns nil if the task was not started or has no transfer.
    init?(of task: URLSessionTask) {
        guard let storage = property("_protocolStorage", of: task),
            let loading = Mirror(reflecting: storage).children.first?.value as? URLProtocol,
            let easyHandle = property("easyHandle", of: loading)
        else { return nil }
        self.init(Mirror(reflecting: easyHandle).children.first?.value)
    }

    /// Returns a session's transfers in progress.
    static func all(of session: URLSession) -> [Transfer] {
        guard let multiHandle = property("multiHandle", of: session),
            let easyHandles = property("easyHandles", of: multiHandle) as? [AnyObject]
        else { return [] }
        return easyHandles.compactMap { Transfer($0) }
    }

    /// Whether a response has begun, other than an interim response or a 417. True if that is
    /// unknown. A 417 only says that a server does not support `Expect` (RFC 9110, section 10.1.1).
    var hasResponse: Bool {
        var status = 0
        guard getLongInfo?(handle, responseCode, &status) == 0 else { return true }
        return status >= 200 && status != 417
    }

    /// The number of body bytes sent, or nil if it is unknown.
    var sentCount: Double? {
        var count = 0.0
        return getInfo?(handle, sizeUpload, &count) == 0 ? count : nil
    }

    /// Pauses or resumes receiving.
    func setPaused(_ isPaused: Bool) {
        _ = setPauseState?(handle, 0, isPaused ? 1 : 0)
    }

    /// Makes the transfer fail when more of its body arrives.
    ///
    /// libcurl passes each piece of the body to Foundation together with a pointer to Foundation's
    /// object for the transfer. Without the pointer, Foundation refuses the piece.
    func stopReceiving() {
        _ = setPointer?(handle, writeData, nil)
    }

    /// Makes the transfer fail if Foundation has collected more than the limit for a whole body.
    func limitBody() {
        if let exchange = exchange(of: easyHandle), exchange.options.bufferLimit == nil,
            exchange.refusesBody(of: collectedCount(of: easyHandle))
        {
            stopReceiving()
        }
    }

    /// Keeps libcurl from sending the request again, except once after a 417. Call this before the
    /// transfer starts.
    ///
    /// - Parameter isOnNewConnection: Whether a new connection must be used.
    func refuseRepetition(isOnNewConnection: Bool) {
        guard let setPointer, let setLong, getInfo != nil, getLongInfo != nil else { return }
        let function = unsafeBitCast(refusesAttempt, to: Handle.self)
        // If a new connection is lost, libcurl does not send the request again. A new connection is
        // also used with libcurl before 7.80, which lacks `CURLOPT_PREREQFUNCTION`.
        if setPointer(handle, prereqFunction, function) != 0
            || setPointer(handle, prereqData, Unmanaged.passUnretained(easyHandle).toOpaque()) != 0
            || isOnNewConnection
        {
            _ = setLong(handle, freshConnect, 1)
        }
    }
}

/// Whether the caller runs on a session's serial queue that `markTransferQueue()` has marked.
var isOnTransferQueue: Bool { DispatchQueue.getSpecific(key: isTransferQueue) == true }

private let isTransferQueue = DispatchSpecificKey<Bool>()

extension URLSession {
    /// Marks the serial queue of the session for `isOnTransferQueue`.
    func markTransferQueue() { transferQueue?.setSpecific(key: isTransferQueue, value: true) }

    /// Whether the session was invalidated.
    var isInvalidated: Bool { property("invalidated", of: self) as? Bool ?? false }

    /// Whether the session has unfinished tasks. Use this only on the session's serial queue.
    var hasTasks: Bool {
        guard let registry = property("taskRegistry", of: self) else { return false }
        return (property("tasks", of: registry) as? [Int: URLSessionTask])?.isEmpty == false
    }

    /// The serial queue of the session.
    var transferQueue: DispatchQueue? {
        property("workQueue", of: self) as? DispatchQueue
    }
}

extension URLSessionTask {
    /// The task's serial queue, which targets the session's serial queue.
    var transferQueue: DispatchQueue? { property("workQueue", of: self) as? DispatchQueue }
}

// MARK: Reflection

/// Returns the value of an object's own or inherited property, or nil if there is no such property.
///
/// Searches the object's properties only while the place of this property is unknown. A search
/// quadruples the time of a call, and reads other properties, which other threads may be changing.
package func property(_ name: String, of object: Any) -> Any? {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror {
        let type = ObjectIdentifier(current.subjectType)
        let position = positions.withLock { positions in
            if let position = positions[type]?[name] { return position }
            let position = current.children.firstIndex { $0.label == name }
            positions[type, default: [:]][name] = .some(position)
            return position
        }
        if let position { return current.children[position].value }
        mirror = current.superclassMirror
    }
    return nil
}

/// The places of the properties looked up so far, by type and name. A place is nil if the type
/// itself does not declare the property.
private let positions = Locked(
    [ObjectIdentifier: [String: AnyCollection<Mirror.Child>.Index?]]())

private func loading(of easyHandle: Any) -> URLProtocol? {
    property("delegate", of: easyHandle) as? URLProtocol
}

/// Returns the exchange of a transfer, if any.
private func exchange(of easyHandle: Any) -> URLSessionExchange? {
    loading(of: easyHandle)?.task?.delegate as? URLSessionExchange
}

/// Returns the number of decompressed body bytes that Foundation has collected.
private func collectedCount(of easyHandle: Any) -> Int {
    guard let loading = loading(of: easyHandle),
        let state = property("internalState", of: loading),
        let transferState = Mirror(reflecting: state).children.first?.value,
        let drain = property("bodyDataDrain", of: transferState)
    else { return 0 }
    return (Mirror(reflecting: drain).children.first?.value as? NSMutableData)?.length ?? 0
}

// MARK: libcurl

private typealias Handle = UnsafeMutableRawPointer

/// Returns a function that Foundation's module does not expose.
private func function<T>(_ name: String) -> T? {
    dlsym(nil, name).map { unsafeBitCast($0, to: T.self) }
}

// These functions call `curl_easy_pause`, `curl_easy_getinfo` and `curl_easy_setopt`.
private let setPauseState: (@convention(c) (Handle, _ send: CInt, _ receive: CInt) -> CInt)? =
    function("CFURLSessionEasyHandleSetPauseState")
private let getInfo: (@convention(c) (Handle, CInt, UnsafeMutablePointer<Double>) -> CInt)? =
    function("CFURLSession_easy_getinfo_double")
private let getLongInfo: (@convention(c) (Handle, CInt, UnsafeMutablePointer<CLong>) -> CInt)? =
    function("CFURLSession_easy_getinfo_long")
private let setPointer: (@convention(c) (Handle, CInt, Handle?) -> CInt)? =
    function("CFURLSession_easy_setopt_ptr")
private let setLong: (@convention(c) (Handle, CInt, CLong) -> CInt)? =
    function("CFURLSession_easy_setopt_long")

/// libcurl's `CURLINFO_SIZE_UPLOAD`, `CURLINFO_REDIRECT_TIME` and `CURLINFO_RESPONSE_CODE`.
private let (sizeUpload, redirectTime, responseCode): (CInt, CInt, CInt) =
    (0x300007, 0x300013, 0x200002)

/// libcurl's `CURLOPT_WRITEDATA`.
private let writeData: CInt = 10001

/// libcurl's `CURLOPT_FRESH_CONNECT`, `CURLOPT_PREREQFUNCTION` and `CURLOPT_PREREQDATA`.
private let (freshConnect, prereqFunction, prereqData): (CInt, CInt, CInt) = (74, 20312, 10313)

/// libcurl calls this function with Foundation's `_EasyHandle` before each attempt to send a
/// request. Foundation does not let libcurl follow redirects, so a redirect time above zero means
/// that the attempt is not the first.
private let refusesAttempt:
    @convention(c) (Handle?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, CInt, CInt) -> CInt = {
        easyHandle, _, _, _, _ in
        guard let easyHandle else { return 0 }
        let object = Unmanaged<AnyObject>.fromOpaque(easyHandle).takeUnretainedValue()
        var (time, status): (Double, CLong) = (0, 0)
        guard let handle = property("rawHandle", of: object) as? Handle,
            getInfo?(handle, redirectTime, &time) == 0, time > 0,
            getLongInfo?(handle, responseCode, &status) == 0
        else { return 0 }
        return exchange(of: object)?.refusesRepetition(after: status) == false ? 0 : 1
    }
#endif
