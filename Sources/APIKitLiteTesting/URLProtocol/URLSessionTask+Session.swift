import APIKitLite
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

extension Mirror {
    /// Returns the value of a stored property of the class or of one of its superclasses.
    func descendant(named name: String) -> Any? {
        children.first { $0.label == name }?.value ?? superclassMirror?.descendant(named: name)
    }

    /// Returns the names of the stored properties of the class that declares this one, in order, up
    /// to and including it. Returns an empty array if no class declares it.
    fileprivate func properties(upTo name: String) -> [String] {
        let names = children.compactMap(\.label)
        guard let index = names.firstIndex(of: name) else {
            return superclassMirror?.properties(upTo: name) ?? []
        }
        return Array(names[...index])
    }
}

extension URLSessionTask {
    /// The session that created this task. Foundation on Linux keeps it private.
    ///
    /// A mirror finds it, but takes 4 to 9 µs. So a mirror is used once in a process, to find the
    /// offset of the property in the memory of a task. After that, the property is read there.
    var mirroredSession: URLSession? {
        guard let offset = SessionOffset.known(from: self) else { return reflectedSession }
        return memory.load(fromByteOffset: offset, as: UnsafeRawPointer?.self).flatMap {
            Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as? URLSession
        }
    }

    /// The session as a mirror finds it.
    private var reflectedSession: URLSession? {
        guard let session = Mirror(reflecting: self).descendant(named: "session") else {
            return nil
        }
        return session as? URLSession
    }

    /// The address of this object.
    private var memory: UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    /// The offset of the session's address in this object, in bytes; `nil` if the address is there
    /// more than once or not at all.
    fileprivate var sessionOffset: Int? {
        let properties = Mirror(reflecting: self).properties(upTo: "session")
        guard let session = reflectedSession, !properties.isEmpty else { return nil }
        let address = UnsafeRawPointer(Unmanaged.passUnretained(session).toOpaque())
        let word = MemoryLayout<UnsafeRawPointer>.size
        // The object header takes two words, and each property at most two. Many more properties
        // follow, so every read stays within the object.
        let places = stride(from: 2 * word, to: 2 * word * (properties.count + 1), by: word).filter
        {
            memory.load(fromByteOffset: $0, as: UnsafeRawPointer?.self) == address
        }
        return places.count == 1 ? places[0] : nil
    }
}

/// The offset of the session in a task, which is the same for every task, whatever its class.
///
/// The lock in `Locked` owns it.
private enum SessionOffset {
    private static let state = Locked<(isKnown: Bool, offset: Int?)>((false, nil))

    /// Returns the offset, and finds it first if it is not known yet.
    static func known(from task: URLSessionTask) -> Int? {
        let state = state.withLock { $0 }
        if state.isKnown { return state.offset }
        let offset = task.sessionOffset
        Self.state.withLock { $0 = (true, offset) }
        return offset
    }
}
#endif
