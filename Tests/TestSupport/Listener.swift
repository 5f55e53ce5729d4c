import Foundation

/// A socket that accepts connections for as long as this object lives.
final class Listener: Sendable {
    let url: URL
    private let descriptor: Int32
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Calls a function for each connection, in a thread of its own. The function must not close the
    /// connection. The port zero means a free port.
    init(port: Int = 0, _ serve: @escaping @Sendable (_ connection: Int32) -> Void) throws {
        (descriptor, url) = try boundSocket(port: port)
        guard listen(descriptor, 512) == 0 else {
            close(descriptor)
            throw POSIXError(.EADDRINUSE)
        }
        Thread { [descriptor, hasEnded] in
            useOwnDescriptors(andKeep: descriptor)
            while case let connection = accept(descriptor, nil, nil), connection >= 0 {
                Thread {
                    serve(connection)
                    close(connection)
                }.start()
            }
            hasEnded.signal()
        }.start()
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        #if os(Linux)
        // Before the thread has left `accept`, the number of the socket must stay taken. Otherwise a
        // new listener may get it, and this thread would take that listener's connections. On Apple
        // platforms only `close` ends `accept`.
        hasEnded.wait()
        #endif
        close(descriptor)
    }
}

/// Whether a thread can have descriptors of its own. The thread sanitizer knows descriptors by their
/// numbers, whichever table they are in.
package let canHaveOwnDescriptors: Bool = {
    #if os(Linux)
    dlsym(nil, "__tsan_init") == nil && dlsym(nil, "unshare") != nil
    #else
    false
    #endif
}()

/// Gives this thread, and the threads that it starts, a table of descriptors of their own.
///
/// Foundation on Linux closes a descriptor while libdispatch still watches it. If a connection of
/// the server then gets the same number, libdispatch watches the connection, and a request hangs or
/// the process ends. In a process of their own, a server and its client cannot meet like this.
private func useOwnDescriptors(andKeep listener: Int32? = nil) {
    guard canHaveOwnDescriptors else { return }
    // The C function is not imported.
    typealias Unshare = @convention(c) (Int32) -> Int32
    guard let unshare = dlsym(nil, "unshare").map({ unsafeBitCast($0, to: Unshare.self) }) else {
        return
    }
    let cloneFiles: Int32 = 0x400
    guard unshare(cloneFiles) == 0 else { return }
    for descriptor in 3..<getdtablesize() where descriptor != listener { close(descriptor) }
}
