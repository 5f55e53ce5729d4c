#if canImport(FoundationNetworking)
import Foundation

/// One transfer of libcurl, and what the repairs of Foundation do with it.
///
/// Use it only on the serial queue of its session, on which Foundation uses and frees it. Only
/// reflection leads to a transfer, and only `dlsym` to the functions of libcurl. Where one of these
/// steps fails, for example in an executable that is linked statically, nothing is repaired.
///
/// This file alone knows private names. They were checked with the Foundation of Swift 6.3.1 and
/// with libcurl 7.88.1. If a repair has no effect with a newer one, look for the names in
/// `URLSession.swift`, `URLSessionTask.swift`, `NativeProtocol.swift`, `EasyHandle.swift`,
/// `MultiHandle.swift` and `CFURLSessionInterface.c` of swift-corelibs-foundation.
struct Transfer {
    let handle: UnsafeMutableRawPointer
    private let easyHandle: Any
    /// Whether Foundation has paused it.
    let isPaused: Bool

    private init?(_ easyHandle: Any?) {
        guard let easyHandle, let state = property("pauseState", of: easyHandle),
            let handle = property("rawHandle", of: easyHandle) as? UnsafeMutableRawPointer
        else { return nil }
        (self.handle, self.easyHandle) = (handle, easyHandle)
        isPaused = property("rawValue", of: state) as? Int8 != 0
    }

    /// The transfer of a task; nil if the task has not been started, or has none.
    init?(of task: URLSessionTask) {
        guard let storage = Property.protocolStorage?.value(of: task),
            let loading = Mirror(reflecting: storage).children.first?.value as? URLProtocol,
            let easyHandle = property("easyHandle", of: loading)
        else { return nil }
        self.init(Mirror(reflecting: easyHandle).children.first?.value)
    }

    /// The transfers that a session has started.
    static func all(of session: URLSession) -> [Transfer] {
        guard let multiHandle = Property.multiHandle?.value(of: session),
            let easyHandles = property("easyHandles", of: multiHandle) as? [AnyObject]
        else { return [] }
        return easyHandles.compactMap { Transfer($0) }
    }

    /// How many bytes of the request's body were sent.
    var sentCount: Double? {
        var count = 0.0
        return getInfo?(handle, sizeUpload, &count) == 0 ? count : nil
    }

    /// Pauses receiving, or continues it.
    func setPaused(_ isPaused: Bool) {
        _ = setPauseState?(handle, 0, isPaused ? 1 : 0)
    }

    /// Ends the transfer as soon as Foundation has collected too many bytes of its body.
    ///
    /// libcurl decompresses what it reads from the socket at once, at most 16 KiB, before it asks.
    func limitBody() {
        guard exchange(of: easyHandle)?.options.bufferLimit == nil, let setPointer, let setLong,
            setPointer(
                handle, xferInfoFunction, unsafeBitCast(endsLargeBody, to: Handle.self)) == 0
        else { return }
        _ = setLong(handle, noProgress, 0)
    }

    /// Keeps libcurl from sending the request again by itself. Call it before the transfer starts.
    ///
    /// - Parameter isOnNewConnection: Whether no kept-alive connection may be used.
    func refuseRepetition(isOnNewConnection: Bool) {
        guard let setPointer, let setLong, getInfo != nil else { return }
        let function = unsafeBitCast(refusesAttempt, to: Handle.self)
        // libcurl repeats nothing over a new connection. Before 7.80, it does not know the callback.
        if setPointer(handle, prereqFunction, function) != 0
            || setPointer(handle, prereqData, handle) != 0 || isOnNewConnection
        {
            _ = setLong(handle, freshConnect, 1)
        }
    }
}

extension URLSession {
    /// Whether the session was invalidated.
    var isInvalidated: Bool { Property.invalidated?.value(of: self) as? Bool ?? false }

    /// The serial queue of the session.
    var transferQueue: DispatchQueue? {
        Property.sessionQueue?.value(of: self) as? DispatchQueue
    }
}

extension URLSessionTask {
    /// The serial queue of the task, which is a part of its session's.
    var transferQueue: DispatchQueue? { Property.taskQueue?.value(of: self) as? DispatchQueue }
}

// MARK: Reflection

/// The place of a property in a class, which may be a superclass of an object's.
///
/// Only this property is read. A search by name reads all properties before it, which other threads
/// may be changing, and takes four times as long.
private struct Property: @unchecked Sendable {  // Constants of types that are not marked so.
    static let invalidated = Property("invalidated", of: URLSession.shared)
    static let multiHandle = Property("multiHandle", of: URLSession.shared)
    static let sessionQueue = Property("workQueue", of: URLSession.shared)
    static let protocolStorage = Property("_protocolStorage", of: URLSessionTask())
    static let taskQueue = Property("workQueue", of: URLSessionTask())

    private let type: Any.Type
    private let position: AnyCollection<Mirror.Child>.Index

    private init?(_ name: String, of sample: Any) {
        let mirror = Mirror(reflecting: sample)
        guard let position = mirror.children.firstIndex(where: { $0.label == name }) else {
            return nil
        }
        self.position = position
        type = mirror.subjectType
    }

    func value(of object: Any) -> Any? {
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror, current.subjectType != type {
            mirror = current.superclassMirror
        }
        return mirror?.children[position].value
    }
}

/// Returns the value of a property that the class of an object or one of its superclasses has.
private func property(_ name: String, of object: Any) -> Any? {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror {
        if let child = current.children.first(where: { $0.label == name }) { return child.value }
        mirror = current.superclassMirror
    }
    return nil
}

/// The exchange of a transfer.
private func exchange(of easyHandle: Any) -> URLSessionExchange? {
    (property("delegate", of: easyHandle) as? URLProtocol)?.task?.delegate as? URLSessionExchange
}

/// How many bytes of the body Foundation has collected, decompressed.
private func collectedCount(of easyHandle: Any) -> Int {
    guard let loading = property("delegate", of: easyHandle),
        let state = property("internalState", of: loading),
        let transferState = Mirror(reflecting: state).children.first?.value,
        let drain = property("bodyDataDrain", of: transferState)
    else { return 0 }
    return (Mirror(reflecting: drain).children.first?.value as? NSMutableData)?.length ?? 0
}

// MARK: libcurl

private typealias Handle = UnsafeMutableRawPointer

/// Returns a function of Foundation that its module does not show.
private func function<T>(_ name: String, as type: T.Type) -> T? {
    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
}

/// Calls `curl_easy_pause`.
private let setPauseState = function(
    "CFURLSessionEasyHandleSetPauseState",
    as: (@convention(c) (Handle, _ send: CInt, _ receive: CInt) -> CInt).self)

/// Calls `curl_easy_getinfo`.
private let getInfo = function(
    "CFURLSession_easy_getinfo_double",
    as: (@convention(c) (Handle, CInt, UnsafeMutablePointer<Double>) -> CInt).self)

/// Call `curl_easy_setopt`.
private let setPointer = function(
    "CFURLSession_easy_setopt_ptr", as: (@convention(c) (Handle, CInt, Handle) -> CInt).self)
private let setLong = function(
    "CFURLSession_easy_setopt_long", as: (@convention(c) (Handle, CInt, CLong) -> CInt).self)

/// libcurl's `CURLINFO_SIZE_UPLOAD` and `CURLINFO_REDIRECT_TIME`.
private let (sizeUpload, redirectTime): (CInt, CInt) = (0x300007, 0x300013)

/// libcurl's `CURLOPT_NOPROGRESS` and `CURLOPT_XFERINFOFUNCTION`.
private let (noProgress, xferInfoFunction): (CInt, CInt) = (43, 20219)

/// libcurl's `CURLOPT_FRESH_CONNECT`, `CURLOPT_PREREQFUNCTION` and `CURLOPT_PREREQDATA`.
private let (freshConnect, prereqFunction, prereqData): (CInt, CInt, CInt) = (74, 20312, 10313)

/// libcurl calls this before each attempt to send a request, with the handle as its data. Foundation
/// lets it follow no redirect, so a redirect time says that this is not the first attempt.
private let refusesAttempt:
    @convention(c) (Handle?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, CInt, CInt) -> CInt = {
        handle, _, _, _, _ in
        var time = 0.0
        guard let handle, getInfo?(handle, redirectTime, &time) == 0 else { return 0 }
        return time > 0 ? 1 : 0
    }

/// libcurl calls this after each read, with the `_EasyHandle` that Foundation has set as the data.
private let endsLargeBody: @convention(c) (Handle?, Int64, Int64, Int64, Int64) -> CInt = {
    easyHandle, _, received, _, _ in
    guard received > 0, let easyHandle else { return 0 }
    let object = Unmanaged<AnyObject>.fromOpaque(easyHandle).takeUnretainedValue()
    return exchange(of: object)?.refusesBody(of: collectedCount(of: object)) == true ? 1 : 0
}
#endif
