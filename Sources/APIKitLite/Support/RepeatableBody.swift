import Foundation

/// A request body of bytes and files that is read when it is sent, from the start for each attempt.
///
/// A ``RepeatableBodyStream`` is the form in which a `URLRequest` has it.
package struct RepeatableBody: Hashable, Sendable {
    /// A file, and the size that it had when the body was made.
    package struct File: Hashable, Sendable {
        /// The URL of the file.
        package let url: URL
        /// The size in bytes.
        package let size: Int

        /// Looks the file up.
        ///
        /// - Throws: ``FileBodyError`` if the file is missing or not a regular file.
        package init(_ url: URL) throws(FileBodyError) {
            self.url = url
            size = try FileStatus(of: url).size
        }
    }

    /// A part of the body.
    package enum Segment: Hashable, Sendable {
        case bytes(Data)
        case file(File)

        /// The size in bytes.
        package var size: Int {
            switch self {
            case .bytes(let data): data.count
            case .file(let file): file.size
            }
        }
    }

    /// The parts, in order.
    package let segments: [Segment]

    /// Creates a body.
    package init(_ segments: [Segment]) {
        self.segments = segments
    }

    /// The size of the whole body, in bytes.
    package var size: Int { segments.reduce(0) { $0 + $1.size } }

    /// The files of the body, in order.
    package var files: [File] {
        segments.compactMap { if case .file(let file) = $0 { file } else { nil } }
    }

    /// Checks, before anything is sent, that each file still exists and has its size.
    ///
    /// - Throws: ``FileBodyError``.
    package func checkFiles() throws(FileBodyError) {
        for file in files { try file.check(FileStatus(of: file.url)) }
    }
}

extension RepeatableBody.File {
    /// Compares the size with that of the file now.
    ///
    /// - Throws: ``FileBodyError``.
    fileprivate func check(_ status: FileStatus) throws(FileBodyError) {
        guard status.size == size else {
            throw FileBodyError(url, .resized(from: size, to: status.size))
        }
    }
}

/// A file of a body that is open for reading. It closes itself when it is no longer used.
final class OpenBodyFile {
    private let file: RepeatableBody.File
    private let descriptor: Int32
    private let statusAtStart: FileStatus

    /// Opens the file.
    ///
    /// - Throws: ``FileBodyError`` if the file cannot be opened, or has another size.
    init(_ file: RepeatableBody.File) throws(FileBodyError) {
        // Without `O_NONBLOCK`, opening a pipe would wait for its writer.
        let descriptor = open(
            file.url.path(percentEncoded: false), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileBodyError(file.url, errno: errno) }
        do throws(FileBodyError) {
            let status = try FileStatus(of: descriptor, at: file.url)
            try file.check(status)
            (self.file, self.descriptor, statusAtStart) = (file, descriptor, status)
        } catch {
            _ = close(descriptor)
            throw error
        }
    }

    deinit {
        _ = close(descriptor)
    }

    /// Reads bytes at an offset.
    ///
    /// - Returns: The number of bytes, which is not zero.
    /// - Throws: ``FileBodyError`` if the file cannot be read, or ends before its size.
    func read(
        _ buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(FileBodyError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count > 0 { return count }
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw FileBodyError(file.url, errno: errno) }
            try checkUnchanged()
            throw FileBodyError(file.url, .modified)
        }
    }

    /// Checks that the file was not written to since it was opened.
    ///
    /// - Throws: ``FileBodyError``.
    func checkUnchanged() throws(FileBodyError) {
        let status = try FileStatus(of: descriptor, at: file.url)
        try file.check(status)
        guard status == statusAtStart else { throw FileBodyError(file.url, .modified) }
    }
}

/// The size and the time of the last change of a regular file.
private struct FileStatus: Equatable {
    let size: Int
    /// Seconds and nanoseconds.
    let modified: [Int]

    /// Looks a file up. A symbolic link is followed.
    ///
    /// - Throws: ``FileBodyError``.
    init(of url: URL) throws(FileBodyError) {
        let path = url.path(percentEncoded: false)
        // A NUL would end the path, so that another file is read.
        guard url.isFileURL, !path.contains("\0") else { throw FileBodyError(url, .notAFile) }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw FileBodyError(url, errno: errno)
        }
        try self.init(status, url)
    }

    /// Looks an open file up.
    ///
    /// - Throws: ``FileBodyError``.
    init(of descriptor: Int32, at url: URL) throws(FileBodyError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileBodyError(url, errno: errno) }
        try self.init(status, url)
    }

    private init(_ status: stat, _ url: URL) throws(FileBodyError) {
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileBodyError(url, .notAFile) }
        // On a watch, `Int` may have 32 bits, although a file may be longer.
        guard let size = Int(exactly: status.st_size) else {
            throw FileBodyError(url, .unreadable(.EFBIG))
        }
        self.size = size
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        modified = [Int(time.tv_sec), Int(time.tv_nsec)]
    }
}

extension FileBodyError {
    /// Creates the error for a failed call of the system.
    fileprivate init(_ file: URL, errno code: Int32) {
        self.init(
            file,
            code == ENOENT || code == ENOTDIR
                ? .missing : .unreadable(POSIXErrorCode(rawValue: code) ?? .EIO))
    }
}
