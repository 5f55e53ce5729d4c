import Foundation

extension Download {
    /// The part of a file that is being downloaded: `file` + `.part`, and its record beside it.
    ///
    /// The part is locked until `finish` or `abandon`, for this process and all others; the system
    /// frees the lock if the process ends. The order of the steps is chosen so that the process may
    /// be killed, and the machine may lose its power, between any two of them: the record never has
    /// more bytes, and never another version, than the part has on the disk.
    ///
    /// It uses the functions of the system, because Foundation has none that lock a file, store it
    /// on the disk or refuse a link. Every function may block for as long as the disk does.
    final class PartFile: @unchecked Sendable {  // Only the queue of its download uses it.
        /// The position of the next byte.
        private(set) var offset: Int64 = 0

        /// The record of the bytes that the part has: at first the record of an earlier download.
        /// Nil if the part has no bytes that could be kept.
        private(set) var record: ResumeRecord?
        private let file: URL
        private let path: String
        private let descriptor: Int32
        /// The position after the last byte that the server announced, if it did.
        private var end: Int64?
        private let checkpointInterval: Duration
        private var lastCheckpoint = ContinuousClock.now

        private var partPath: String { path + ".part" }
        private var recordPath: String { path + ".part.json" }
        /// A record that is being written, until it gets its name.
        private var draftPath: String { recordPath + "~" }

        /// Opens and locks the part of a file, and reads its record.
        ///
        /// - Parameters:
        ///   - file: The file to download.
        ///   - interval: The time after which the received bytes are stored on the disk, with a
        ///     record of them.
        /// - Throws: `DownloadError`, as every function here.
        init(of file: URL, checkpointsEvery interval: Duration = .milliseconds(250)) throws {
            self.file = file
            path = file.path(percentEncoded: false)
            checkpointInterval = interval
            let old = Self.status { [path] in stat(path, &$0) }
            // A NUL would end the name, so that another file is written. A folder or a device must
            // not be replaced by a file.
            guard file.isFileURL, !path.isEmpty, !path.hasSuffix("/"), !path.contains("\0"),
                old.st_mode == 0 || old.isRegular
            else { throw DownloadError.notAFile(file) }
            descriptor = try Self.lock(path, file)
            record = storedRecord
            if let record, record.offset > size { self.record = nil }
        }

        private static func lock(_ path: String, _ file: URL) throws -> Int32 {
            // A file to replace may be a secret. The part gets its permissions in the end.
            let mode: mode_t = access(path, F_OK) == 0 ? 0o600 : 0o666
            let part = path + ".part"
            while true {
                // A link could lead to a file of somebody else.
                let descriptor = open(part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode)
                guard descriptor >= 0 else { throw failure(.open, part) }
                var failure: DownloadError?
                let status = status { fstat(descriptor, &$0) }
                if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                    failure = errno == EWOULDBLOCK ? .fileInUse(file) : Self.failure(.open, part)
                } else if !status.isRegular {
                    failure = Self.failure(.open, part, EEXIST)
                } else if status.st_nlink > 1 {
                    // A second name (a hard link) could be in a folder of another user.
                    failure = Self.failure(.open, part, EMLINK)
                } else if status.isSame(as: Self.status { lstat(part, &$0) }) {
                    return descriptor
                }
                unlock(descriptor)
                if let failure { throw failure }
                // The download that held the lock before has renamed or removed the file.
            }
        }

        func record(of urlHash: UInt64) -> ResumeRecord? {
            record?.urlHash == urlHash ? record : nil
        }

        /// Begins to write the body of a response.
        ///
        /// - Parameters:
        ///   - span: The position of the body in the file. At 0, everything that the part has is
        ///     given up.
        ///   - record: The record of the file that is written; nil if its download cannot be
        ///     resumed.
        func begin(_ span: ContentRange, record: ResumeRecord?) throws {
            if span.start == 0 {
                // Before the first byte of another version is written.
                if unlink(recordPath) == 0 { storeFolder() }
                if storedRecord != nil { throw Self.failure(.write, recordPath, EACCES) }
                try truncate(to: 0)
            }
            offset = span.start
            end = span.end
            self.record = record
            self.record?.offset = offset
            lastCheckpoint = .now
        }

        /// Writes bytes at the end of what was written.
        ///
        /// - Throws: `DownloadError.wrongLength` if there are more bytes than the server announced.
        ///   The part is then useless.
        func write(_ bytes: Data) throws {
            let next = offset + Int64(bytes.count)
            if let end, next > end {
                record = nil
                throw DownloadError.wrongLength(expected: end, received: next)
            }
            try checkPart()
            var rest = bytes
            while !rest.isEmpty {
                let position = off_t(next) - off_t(rest.count)
                let count = rest.withUnsafeBytes {
                    pwrite(descriptor, $0.baseAddress, $0.count, position)
                }
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw Self.failure(.write, partPath) }
                rest = rest.dropFirst(count)
            }
            offset = next
            record?.offset = next
            if ContinuousClock.now - lastCheckpoint > checkpointInterval { try saveRecord() }
        }

        /// Gives the part the name of the file, in place of an older file, whose permissions it
        /// gets.
        func finish() throws {
            try checkPart()
            try truncate(to: offset)
            let old = Self.status { lstat(path, &$0) }
            if old.isRegular { _ = fchmod(descriptor, old.st_mode & 0o777) }
            try store()
            // Before the move: after it, the name of the part, and so its record, is free for
            // another download. If the move fails, `abandon()` stores the record again.
            removeRecord()
            guard rename(partPath, path) == 0 else { throw Self.failure(.rename, path) }
            // The file is whole and in place: what fails from here on is no failure of the
            // download.
            Self.unlock(descriptor)
            storeFolder()
        }

        /// Ends a download that failed. The part stays if a later download can resume it.
        func abandon() {
            if record != nil {
                try? saveRecord()
                record = storedRecord
            }
            if record == nil {
                // In this order: a record without its part is ignored.
                if isWhole { _ = unlink(partPath) }
                removeRecord()
            }
            Self.unlock(descriptor)
        }

        // MARK: The part

        private var status: stat { Self.status { fstat(descriptor, &$0) } }
        private var size: Int64 { Int64(status.st_size) }

        /// Whether the part still has its name and all bytes that were written.
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
            if ftruncate(descriptor, off_t(length)) != 0 { throw Self.failure(.write, partPath) }
        }

        private func store() throws {
            if Self.synchronize(descriptor) { return }
            let failure = Self.failure(.synchronize, partPath)
            // The system may report lost bytes only once, so the next attempt could succeed without
            // them. Only the bytes that were stored before are certain.
            record = storedRecord
            throw failure
        }

        /// Stores the names in the folder on the disk, as far as the system can do so.
        private func storeFolder() {
            let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_CLOEXEC)
            guard folder >= 0 else { return }
            _ = Self.synchronize(folder)
            close(folder)
        }

        // MARK: The record

        /// Stores the bytes, and then the record of them.
        private func saveRecord() throws {
            guard record != nil else { return }
            try checkPart()
            try store()
            lastCheckpoint = .now
            // If it cannot be written, this download goes on: the record helps a later one.
            guard let text = try? JSONEncoder().encode(record) else { return }
            unlink(draftPath)
            // It fails if somebody else has created the file in the meantime, for example as a
            // link.
            guard
                (try? text.write(to: URL(filePath: draftPath), options: .withoutOverwriting)) != nil
            else { return }
            rename(draftPath, recordPath)
        }

        private var storedRecord: ResumeRecord? {
            let status = Self.status { lstat(recordPath, &$0) }
            guard status.isRegular, status.st_size < 1 << 16,
                let text = try? Data(contentsOf: URL(filePath: recordPath)),
                let record = try? JSONDecoder().decode(ResumeRecord.self, from: text)
            else { return nil }
            return record.offset > 0 ? record : nil
        }

        /// Removes the record, and an incomplete record that could not be written, for example
        /// because the disk was full.
        private func removeRecord() {
            unlink(recordPath)
            unlink(draftPath)
        }

        // MARK: The system

        /// Suspends the thread until the bytes of a file are stored on the disk.
        private static func synchronize(_ descriptor: Int32) -> Bool {
            #if canImport(Darwin)
            // Here `fsync` does not empty the cache of the drive. Some file systems have only
            // `fsync`.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
            #endif
            return fsync(descriptor) == 0
        }

        private static func unlock(_ descriptor: Int32) {
            // Closing would not free the lock while a child process has a copy of the descriptor,
            // as each one has for a moment after its start.
            _ = flock(descriptor, LOCK_UN)
            close(descriptor)
        }

        /// Returns the status of a file; if the system has none, an empty status, which is not
        /// regular.
        private static func status(_ read: (inout stat) -> Int32) -> stat {
            var status = stat()
            return read(&status) == 0 ? status : stat()
        }

        private static func failure(
            _ step: DownloadError.Step, _ path: String, _ code: Int32 = errno
        ) -> DownloadError {
            .file(step, path: path, code: POSIXErrorCode(rawValue: code) ?? .EIO)
        }
    }
}

extension stat {
    fileprivate var isRegular: Bool { st_mode & S_IFMT == S_IFREG }

    fileprivate func isSame(as other: stat) -> Bool {
        st_dev == other.st_dev && st_ino == other.st_ino
    }
}
