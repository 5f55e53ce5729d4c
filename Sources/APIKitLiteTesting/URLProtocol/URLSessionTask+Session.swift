import APIKitLite
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

extension Mirror {
    /// A stored property by its name, in the class or in one above it.
    func descendant(named name: String) -> Any? {
        children.first { $0.label == name }?.value ?? superclassMirror?.descendant(named: name)
    }

    /// The stored properties of the class that has this one, as far as to it.
    fileprivate func properties(upTo name: String) -> [String] {
        let names = children.compactMap(\.label)
        guard let index = names.firstIndex(of: name) else {
            return superclassMirror?.properties(upTo: name) ?? []
        }
        return Array(names[...index])
    }
}

extension URLSessionTask {
    /// The session that made this task; Foundation does not hand it out.
    ///
    /// A mirror shows it, but needs 4 to 9 µs. So it is asked once in a process, and what it shows is
    /// looked for in the memory of the task: from then on the property is read from there.
    var mirroredSession: URLSession? {
        guard let offset = SessionOffset.known(from: self) else { return reflectedSession }
        return memory.load(fromByteOffset: offset, as: UnsafeRawPointer?.self).flatMap {
            Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as? URLSession
        }
    }

    private var reflectedSession: URLSession? {
        guard let session = Mirror(reflecting: self).descendant(named: "session") else {
            return nil
        }
        return session as? URLSession
    }

    private var memory: UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Where the session's address stands in this object, if it does in one place only.
    fileprivate var sessionOffset: Int? {
        let properties = Mirror(reflecting: self).properties(upTo: "session")
        guard let session = reflectedSession, !properties.isEmpty else { return nil }
        let address = UnsafeRawPointer(Unmanaged.passUnretained(session).toOpaque())
        let word = MemoryLayout<UnsafeRawPointer>.size
        // After the object's own two words, each property takes two at most; many more follow.
        let places = stride(from: 2 * word, to: 2 * word * (properties.count + 1), by: word).filter
        {
            memory.load(fromByteOffset: $0, as: UnsafeRawPointer?.self) == address
        }
        return places.count == 1 ? places[0] : nil
    }
}

/// A property of `URLSessionTask` is in the same place of each task, whatever its class.
private enum SessionOffset {
    private static let state = Locked<(isKnown: Bool, offset: Int?)>((false, nil))

    static func known(from task: URLSessionTask) -> Int? {
        let state = state.withLock { $0 }
        if state.isKnown { return state.offset }
        let offset = task.sessionOffset
        Self.state.withLock { $0 = (true, offset) }
        return offset
    }
}
#endif
