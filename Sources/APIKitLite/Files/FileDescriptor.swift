import Foundation

/// An open file, used through the functions of the system: Foundation has none that lock a file,
/// store it on the disk or refuse a symbolic link.
struct FileDescriptor {
    private let number: Int32

    /// Opens and locks a file for writing, and creates it if it is missing.
    ///
    /// - Parameter path: The path of a regular file.
    /// - Returns: `nil` if another descriptor, of this process or another one, holds the lock.
    /// - Throws: `DownloadError.file`.
    init?(locking path: String) throws {
        while true {
            // A link could lead to a file of somebody else.
            let number = try Self.descriptor(path, O_RDWR | O_CREAT | O_NOFOLLOW)
            let file = FileDescriptor(number: number)
            guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                file.end()
                if code == EWOULDBLOCK { return nil }
                throw Self.error(.open, path, code)
            }
            guard file.status?.isRegularFile == true else {
                file.end()
                throw Self.error(.open, path, EEXIST)
            }
            // The one that held the lock before may have renamed or removed the file.
            if file.status?.identity == Self.status(of: path)?.identity {
                self = file
                return
            }
            file.end()
        }
    }

    /// Creates a file, or empties it.
    init(creating path: String) throws {
        number = try Self.descriptor(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW)
    }

    /// Opens a regular file for reading.
    init(reading path: String) throws {
        // Without O_NONBLOCK, a named pipe would wait for a writer.
        number = try Self.descriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    }

    private init(number: Int32) {
        self.number = number
    }

    /// Frees the lock and closes the file.
    func end() {
        // Closing would not free the lock while a child process has a copy of the descriptor, as
        // each one has for a moment after its start.
        _ = flock(number, LOCK_UN)
        _ = close(number)
    }

    /// The number of bytes of the file.
    var size: Int64 { status.map { Int64($0.st_size) } ?? 0 }

    /// Writes bytes at a position.
    func write(_ bytes: Data, at position: Int64, _ path: String) throws {
        try bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = pwrite(
                    number, buffer.baseAddress! + done, buffer.count - done,
                    off_t(position) + off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw Self.error(.write, path, errno) }
                done += count
            }
        }
    }

    /// Reads bytes from a position.
    func read(_ count: Int, at position: Int64, _ path: String) throws -> Data {
        var bytes = Data(count: count)
        var done = 0
        while done < count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                pread(
                    number, buffer.baseAddress! + done, count - done,
                    off_t(position) + off_t(done))
            }
            if read < 0, errno == EINTR { continue }
            // The file became shorter, so somebody else changes it.
            guard read > 0 else { throw Self.error(.read, path, read < 0 ? errno : EIO) }
            done += read
        }
        return bytes
    }

    /// Gives the file this length.
    func truncate(to length: Int64, _ path: String) throws {
        guard size != length else { return }
        guard ftruncate(number, off_t(length)) == 0 else { throw Self.error(.write, path, errno) }
    }

    /// Suspends the thread until the bytes and the length are stored on the disk.
    func synchronize(_ path: String) throws {
        #if canImport(Darwin)
        // Here `fsync` does not empty the cache of the drive. Some file systems have only `fsync`.
        if fcntl(number, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(number) == 0 else { throw Self.error(.synchronize, path, errno) }
    }
}

extension FileDescriptor {
    /// Gives a file another name, in one step, in place of a file that has it.
    static func move(_ old: String, to new: String) throws {
        guard rename(old, new) == 0 else { throw error(.rename, new, errno) }
    }

    /// Stores the names in the folder of a file on the disk, as far as the system can do so.
    static func synchronizeFolder(of path: String) {
        let folder = (path as NSString).deletingLastPathComponent
        guard let number = try? descriptor(folder.isEmpty ? "." : folder, O_RDONLY) else { return }
        let file = FileDescriptor(number: number)
        try? file.synchronize(folder)
        file.end()
    }

    /// Whether a path names a folder, also through a symbolic link.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether a path names anything.
    static func exists(_ path: String) -> Bool { status(of: path) != nil }

    private static func descriptor(_ path: String, _ flags: Int32) throws -> Int32 {
        while true {
            let number = open(path, flags | O_CLOEXEC, 0o666)
            if number >= 0 { return number }
            if errno != EINTR { throw error(flags & O_CREAT == 0 ? .read : .open, path, errno) }
        }
    }

    private static func error(
        _ step: DownloadError.Step, _ path: String, _ code: Int32
    ) -> DownloadError {
        .file(step, path: path, code: POSIXErrorCode(rawValue: code) ?? .EIO)
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    private var status: stat? {
        var status = stat()
        return fstat(number, &status) == 0 ? status : nil
    }
}

extension stat {
    fileprivate var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }

    fileprivate var identity: [UInt64] { [UInt64(truncatingIfNeeded: st_dev), UInt64(st_ino)] }
}
