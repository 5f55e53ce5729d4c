import Foundation

/// A download's part (the file `file` + `.part`, which receives the bytes) and the part's record.
///
/// The part is locked against other downloads in all processes until `finish` succeeds or `abandon`
/// is called. If the process exits, the system releases the lock. Killing the process between two
/// steps does no harm: the record of a version of the file is stored before the first byte of that
/// version, and removed before the first byte of another version.
///
/// This type uses system calls, because Foundation cannot lock a file or refuse a link. Every
/// function may block while it waits for the disk.
final class PartFile: @unchecked Sendable {  // Only the queue of its download uses it.
    /// The position of the next byte.
    private var offset: Int64 = 0

    /// The record of the bytes in the part, or nil if there are no bytes to keep. At first, it is
    /// the record of an earlier download, if any.
    private(set) var record: ResumeRecord?
    private let file: URL
    private let path: String
    private let descriptor: Int32
    /// The position after the last byte of the response's body, if the server announced it.
    private var end: Int64?

    private var partPath: String { path + ".part" }
    private var recordPath: String { path + ".part.json" }

    /// Opens or creates the part of a file, locks the part, and reads its record.
    ///
    /// - Throws: ``RequestBuildingError`` for a URL that does not name a file. `DownloadError` for
    ///   any other failure. The other functions of this type throw only `DownloadError`.
    init(of file: URL) throws {
        self.file = file
        path = file.path(percentEncoded: false)
        let old = Self.status { [path] in stat(path, &$0) }
        // A NUL in the path would end the name, so that another file would be written. A folder or
        // a device must not be replaced.
        guard file.isFileURL, !path.isEmpty, !path.hasSuffix("/"), !path.contains("\0"),
            old.st_mode == 0 || old.isRegular
        else {
            throw RequestBuildingError(
                file.isFileURL
                    ? "\(path) is not the name of a file. A download needs one."
                    : "A download needs a file: URL as its target, not "
                        + "\(file.scheme ?? "a relative one").")
        }
        descriptor = try Self.lock(path, file)
        record = storedRecord
    }

    private static func lock(_ path: String, _ file: URL) throws -> Int32 {
        // The file to replace may be secret. The part gets that file's permissions at the end.
        let mode: mode_t = access(path, F_OK) == 0 ? 0o600 : 0o666
        let part = path + ".part"
        while true {
            // A link could lead to another user's file.
            let descriptor = open(part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode)
            guard descriptor >= 0 else { throw failure(part) }
            var failure: DownloadError?
            let status = status { fstat(descriptor, &$0) }
            if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                failure = errno == EWOULDBLOCK ? .fileInUse(file) : Self.failure(part)
            } else if !status.isRegular {
                failure = Self.failure(part, EEXIST)
            } else if status.st_nlink > 1 {
                // A second name (a hard link) could be in another user's folder.
                failure = Self.failure(part, EMLINK)
            } else if status.isSame(as: Self.status { lstat(part, &$0) }) {
                return descriptor
            }
            unlock(descriptor)
            if let failure { throw failure }
            // The download that last held the lock renamed or removed this file, so the part is
            // opened or created again.
        }
    }

    /// Returns the record, or nil if it is the record of another URL's file, or if the first byte
    /// to request is the file's first byte.
    func record(of urlHash: UInt64) -> ResumeRecord? {
        record.flatMap { $0.urlHash == urlHash && $0.start > 0 ? $0 : nil }
    }

    /// Starts writing a response's body at the body's position in the file. If this position is 0,
    /// the part's bytes are discarded. The record is nil if the download cannot be resumed.
    func begin(_ span: ContentRange, record: ResumeRecord?) throws {
        if span.start == 0 {
            unlink(recordPath)
            if Self.status({ lstat(recordPath, &$0) }).isRegular {
                throw Self.failure(recordPath, EACCES)
            }
            try truncate(to: 0)
        }
        (self.record, offset, end) = (record, span.start, span.end)
        self.record?.inode = inode
        self.record?.offset = offset
        storeRecord()
    }

    /// Appends bytes to the part.
    ///
    /// - Throws: `DownloadError`, such as `wrongLength` if there are more bytes than the server
    ///   announced. After `wrongLength` and `partChanged`, the part is unusable.
    func write(_ bytes: Data) throws {
        let next = offset + Int64(bytes.count)
        if let end, next > end {
            record = nil
            throw DownloadError.wrongLength(expected: end, received: next)
        }
        try checkPart()
        try bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = pwrite(
                    descriptor, bytes.baseAddress! + written, bytes.count - written,
                    off_t(offset) + off_t(written))
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw Self.failure(partPath) }
                written += count
            }
        }
        offset = next
        record?.offset = next
    }

    /// Renames the part to `file`. If `file` is an older file, or a symbolic link to an older file,
    /// the part gets the older file's permissions.
    func finish() throws {
        try checkPart()
        try truncate(to: offset)
        let old = Self.status { stat(path, &$0) }
        if old.isRegular { _ = fchmod(descriptor, old.st_mode & 0o777) }
        // The record is removed before the move, because after the move, another download may use
        // the names of the part and the record.
        unlink(recordPath)
        guard rename(partPath, path) == 0 else {
            let failure = Self.failure(path)
            storeRecord()
            throw failure
        }
        Self.unlock(descriptor)
    }

    /// Ends a failed download. Keeps the part if a later download can continue the part.
    func abandon() {
        if record == nil || !isWhole || storedRecord == nil {
            // The part is removed first, because a record without its part is ignored.
            if isWhole { _ = unlink(partPath) }
            unlink(recordPath)
        }
        Self.unlock(descriptor)
    }

    // MARK: The part

    private var status: stat { Self.status { fstat(descriptor, &$0) } }
    private var size: Int64 { Int64(status.st_size) }
    private var inode: UInt64 { UInt64(status.st_ino) }

    /// Whether the part still has its name and all the bytes written to it.
    private var isWhole: Bool {
        size >= offset && status.isSame(as: Self.status { lstat(partPath, &$0) })
    }

    private func checkPart() throws {
        guard isWhole else {
            record = nil
            throw DownloadError.partChanged(file)
        }
    }

    private func truncate(to length: Int64) throws {
        if ftruncate(descriptor, off_t(length)) != 0 { throw Self.failure(partPath) }
    }

    // MARK: The record

    /// Stores the record, if any, unless a record is already stored. If it cannot be stored, the
    /// download continues, because only a later download needs the stored record.
    private func storeRecord() {
        guard let record, let text = try? JSONEncoder().encode(record) else { return }
        // The write fails if another program has created the file in the meantime, for example as a
        // link.
        try? text.write(to: URL(filePath: recordPath), options: .withoutOverwriting)
    }

    /// The stored record, with the part's size. Nil if the record is missing, unreadable or for
    /// another part, or if the part is empty or larger than the file to download.
    private var storedRecord: ResumeRecord? {
        let status = Self.status { lstat(recordPath, &$0) }
        guard status.isRegular, status.st_size < 1 << 16,
            let text = try? Data(contentsOf: URL(filePath: recordPath)),
            var record = try? JSONDecoder().decode(ResumeRecord.self, from: text)
        else { return nil }
        record.offset = size
        let isOfThisPart = record.inode == inode
        return isOfThisPart && size > 0 && size <= record.length ?? .max ? record : nil
    }

    // MARK: The system

    private static func unlock(_ descriptor: Int32) {
        // Closing the descriptor does not release the lock while a child process has a copy of the
        // descriptor. Each child process has such a copy briefly after its start.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Returns the status of a file. If the status cannot be read, returns an empty status, which
    /// is not the status of a regular file.
    private static func status(_ read: (inout stat) -> Int32) -> stat {
        var status = stat()
        return read(&status) == 0 ? status : stat()
    }

    private static func failure(
        _ path: String, _ code: Int32 = errno
    ) -> DownloadError {
        .file(path: path, code: POSIXErrorCode(rawValue: code) ?? .EIO)
    }
}

extension stat {
    fileprivate var isRegular: Bool { st_mode & S_IFMT == S_IFREG }

    fileprivate func isSame(as other: stat) -> Bool {
        st_dev == other.st_dev && st_ino == other.st_ino
    }
}
