import Foundation

/// The part of a file that is being downloaded: `file` + `.part`, and its record beside it.
///
/// The part is locked as long as this object is open, for this process and all others; the system
/// frees the lock if the process ends. Each order of steps is chosen so that the process may be
/// killed, and the machine may lose its power, between any two of them: the record never has more
/// bytes, and never another version, than the part has on the disk.
///
/// Every function may block for as long as the disk does.
final class PartFile {
    private static let recordSuffix = ".part.json"
    /// The time after which the received bytes are stored on the disk, with a record of them.
    private static let checkpointInterval = Duration.milliseconds(250)

    /// The record of the bytes that the part has.
    ///
    /// At first, it is that of an earlier download. It is `nil` if the part has no bytes that could
    /// be kept.
    private(set) var record: ResumeRecord?

    private let path: String
    private let check: DigestCheck?
    private let part: FileDescriptor
    /// The position of the next byte.
    private var offset: Int64 = 0
    /// The position after the last byte that the server announced, if it did.
    private var end: Int64?
    /// Whether `begin` was called, so that the part belongs to this download.
    private var hasBegun = false
    private var isOpen = true
    private var lastCheckpoint = ContinuousClock.now
    private var digest: (any RunningDigest)?
    /// The number of bytes that the digest has.
    private var digestOffset: Int64 = 0

    private var partPath: String { path + ".part" }
    private var recordPath: String { path + Self.recordSuffix }
    /// A record that is being written, until it gets its name.
    private var draftPath: String { recordPath + "~" }

    /// Opens and locks the part of a file, and reads its record.
    ///
    /// - Parameters:
    ///   - file: The file to download.
    ///   - check: The digest that the file must have.
    /// - Throws: `DownloadError`.
    init(of file: URL, check: DigestCheck? = nil) throws {
        path = file.path(percentEncoded: false)
        self.check = check
        // A NUL would end the name, so that another file is written.
        guard file.isFileURL, !path.isEmpty, !path.hasSuffix("/"), !path.contains("\0"),
            !FileDescriptor.isFolder(path)
        else { throw DownloadError.notAFile(file) }
        guard let part = try FileDescriptor(locking: path + ".part") else {
            throw DownloadError.fileInUse(file)
        }
        self.part = part
        record = Self.record(at: path + Self.recordSuffix).flatMap { record in
            record.offset > 0 && record.offset <= part.size ? record : nil
        }
    }

    deinit {
        if isOpen { close() }
    }

    /// Begins to write the body of a response.
    ///
    /// - Parameters:
    ///   - offset: The position of the body's first byte. At 0, everything that the part has is
    ///     given up.
    ///   - end: The position after the body's last byte, if the server announced it.
    ///   - record: The record of the file that is written; `nil` if its download cannot be resumed.
    func begin(at offset: Int64, end: Int64?, record: ResumeRecord?) throws {
        if offset == 0 {
            // Before the first byte of another version is written.
            try removeRecord()
            try part.truncate(to: 0, partPath)
        }
        hasBegun = true
        self.offset = offset
        self.end = end
        self.record = record
        self.record?.offset = offset
        lastCheckpoint = .now
        while try addPieceToDigest(upTo: offset) {}
    }

    /// Writes bytes at the end of what was written.
    ///
    /// - Throws: `DownloadError.wrongLength` if there are more bytes than the server announced. The
    ///   part is of no use then.
    func write(_ bytes: Data) throws {
        if let end, offset + Int64(bytes.count) > end {
            record = nil
            throw DownloadError.wrongLength(expected: end, received: offset + Int64(bytes.count))
        }
        try part.write(bytes, at: offset, partPath)
        digest?.update(bytes)
        digestOffset += Int64(bytes.count)
        offset += Int64(bytes.count)
        record?.offset = offset
        if ContinuousClock.now - lastCheckpoint > Self.checkpointInterval { try saveRecord() }
    }

    /// Ends the body of a response.
    ///
    /// - Throws: `DownloadError.wrongLength` if there were fewer bytes than the server announced.
    func endBody() throws {
        if let end, end != offset {
            throw DownloadError.wrongLength(expected: end, received: offset)
        }
    }

    /// Gives the part the name of the file, in place of an older file.
    ///
    /// - Throws: `DownloadError.wrongDigest` if the part is not the file.
    func finish() throws {
        if let check, let found = digest?.hexadecimal, found != check.expected {
            // It cannot become right.
            record = nil
            throw DownloadError.wrongDigest(expected: check.expected, found: found)
        }
        try part.truncate(to: offset, partPath)
        try synchronize()
        // Before the move: after it, the name of the part, and so its record, is free for another
        // download. If the move fails, `abandon()` stores the record again.
        removeRecordFiles()
        try FileDescriptor.move(partPath, to: path)
        isOpen = false
        // The file is whole and in place: what fails from here on is no failure of the download.
        part.end()
        FileDescriptor.synchronizeFolder(of: path)
    }

    /// Ends a download that failed. The part stays if a later download can resume it.
    func abandon() {
        guard isOpen else { return }
        if hasBegun, record?.offset ?? 0 > 0 {
            do {
                try saveRecord()
            } catch  where !FileDescriptor.exists(recordPath) {
                record = nil
            } catch {
                // The record that was stored before has fewer bytes.
            }
        }
        close()
    }

    /// Removes what cannot be resumed, and frees the lock.
    private func close() {
        isOpen = false
        // In this order: a record without its part is ignored.
        if record == nil || part.size == 0 {
            _ = unlink(partPath)
            removeRecordFiles()
        }
        part.end()
    }

    /// Adds at most 1 MiB of the bytes to the digest that an earlier download left.
    ///
    /// - Parameter position: The position up to which the digest is computed.
    /// - Returns: Whether bytes are missing in the digest afterwards.
    func addPieceToDigest(upTo position: Int64) throws -> Bool {
        guard let check else { return false }
        if digest == nil || digestOffset > position {
            (digest, digestOffset) = (check.makeDigest(), 0)
        }
        guard digestOffset < position else { return false }
        let count = Int(min(position - digestOffset, 1 << 20))
        digest?.update(try part.read(count, at: digestOffset, partPath))
        digestOffset += Int64(count)
        return digestOffset < position
    }

    /// Whether a name could be that of another file's part or record.
    static func isCompanion(_ name: String) -> Bool {
        let name = name.lowercased()
        return [".part", recordSuffix, recordSuffix + "~"].contains { name.hasSuffix($0) }
    }

    // MARK: The record

    /// Stores the bytes, and then the record of them.
    private func saveRecord() throws {
        guard let record else { return }
        try synchronize()
        lastCheckpoint = .now
        let text = try JSONEncoder().encode(record)
        let file = try FileDescriptor(creating: draftPath)
        defer { file.end() }
        try file.write(text, at: 0, draftPath)
        try file.synchronize(draftPath)
        try FileDescriptor.move(draftPath, to: recordPath)
    }

    /// Stores the received bytes on the disk.
    private func synchronize() throws {
        do {
            try part.synchronize(partPath)
        } catch {
            // The system may report lost bytes only once, so the next attempt could succeed without
            // them. Only the bytes that were stored before are certain.
            record = Self.record(at: recordPath)
            throw error
        }
    }

    /// Removes the record, and one that could not be written completely, for example because the
    /// disk was full.
    private func removeRecordFiles() {
        _ = unlink(recordPath)
        _ = unlink(draftPath)
    }

    /// Removes the record of an earlier download, before the part changes.
    private func removeRecord() throws {
        if unlink(recordPath) == 0 { FileDescriptor.synchronizeFolder(of: path) }
        if FileDescriptor.exists(recordPath) {
            throw DownloadError.file(.write, path: recordPath, code: .EACCES)
        }
    }

    /// Returns the record in a file, or `nil` if there is no valid one.
    private static func record(at path: String) -> ResumeRecord? {
        guard let file = try? FileDescriptor(reading: path) else { return nil }
        defer { file.end() }
        guard file.size < 1 << 16,
            let text = try? file.read(Int(file.size), at: 0, path)
        else { return nil }
        return try? JSONDecoder().decode(ResumeRecord.self, from: text)
    }
}
