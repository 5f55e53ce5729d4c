import Foundation

/// A request's `httpBodyStream` for a ``RepeatableBody``.
///
/// The library never reads the stream in the app's request. It opens a new stream for each reader
/// of the body, so a request can be sent several times, even concurrently.
final class RepeatableBodyStream: InputStream {
    let body: RepeatableBody
    /// Called with the number of bytes read so far in one attempt, and the body's size.
    let didRead: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)?

    /// The segments still to be read. The first segment may be partly read.
    private var rest: ArraySlice<RepeatableBody.Segment> = []
    /// The stream of the first segment, or nil if the segment is not open.
    private var input: InputStream?
    /// How many bytes are left in the first segment.
    private var left = 0
    private var count = 0
    private var status = Stream.Status.notOpen
    private(set) var failure: FileBodyError?

    init(
        _ body: RepeatableBody,
        didRead: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) {
        self.body = body
        self.didRead = didRead
        super.init(data: Data())
    }

    func reopened() -> RepeatableBodyStream {
        RepeatableBodyStream(body, didRead: didRead)
    }

    override var streamStatus: Stream.Status { status }

    override var streamError: (any Error)? { failure }

    override var hasBytesAvailable: Bool { status == .open }

    /// Rewinds to the start. Foundation on Linux reopens the stream to send a request again.
    override func open() {
        (rest, input, count, failure) = (body.segments[...], nil, 0, nil)
        status = .open
    }

    override func close() {
        input = nil
        status = .closed
    }

    /// Reads the next bytes.
    ///
    /// - Returns: The number of bytes read, 0 at the end, or -1 if the stream is not open, a file
    ///   cannot be read, or a file's size has changed.
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        guard status == .open, maxLength > 0 else {
            return status == .open || status == .atEnd ? 0 : -1
        }
        do throws(FileBodyError) {
            let added = try readSegments(buffer, maxLength)
            count += added
            if added > 0 { didRead?(Int64(count), Int64(body.size)) } else { status = .atEnd }
            return added
        } catch {
            (input, failure) = (nil, error)
            status = .error
            return -1
        }
    }

    /// Reads from one segment. Returns the number of bytes read, or 0 at the end of the body.
    private func readSegments(
        _ buffer: UnsafeMutablePointer<UInt8>, _ maxLength: Int
    ) throws(FileBodyError) -> Int {
        while let segment = rest.first {
            if input == nil { try open(segment) }
            let added = left == 0 ? 0 : input?.read(buffer, maxLength: min(maxLength, left)) ?? -1
            left -= max(added, 0)
            if left == 0 || added <= 0 { try finish(segment) }
            if added > 0 { return added }
        }
        return 0
    }

    private func open(_ segment: RepeatableBody.Segment) throws(FileBodyError) {
        switch segment {
        case .bytes(let data):
            input = InputStream(data: data)
        case .file(let file):
            try file.check()
            input = InputStream(url: file.url)
        }
        left = segment.size
        input?.open()
    }

    /// Moves to the next segment.
    ///
    /// - Throws: ``FileBodyError`` if the segment's file was resized or cannot be read. In that
    ///   case, the file's last bytes are withheld, so that no server receives a complete body.
    private func finish(_ segment: RepeatableBody.Segment) throws(FileBodyError) {
        if case .file(let file) = segment {
            var extra: UInt8 = 0
            guard left == 0, input?.read(&extra, maxLength: 1) == 0 else {
                try file.check()
                throw FileBodyError.unreadable(file.url, .EIO)
            }
        }
        rest.removeFirst()
        input = nil
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}
