import APIKitLite
import Foundation

/// HTTP exchanges: requests with their responses, as in a HAR 1.2 file.
///
/// Browsers, proxies and ``write(to:redacting:)`` write such files. An archive is a collection, so
/// tests can edit its exchanges:
///
/// ```swift
/// var archive = try HTTPArchive(contentsOf: file)
/// archive.removeAll { $0.request.url?.host() != "api.example.com" }
/// network.stub(archive)
/// ```
public struct HTTPArchive: RandomAccessCollection, RangeReplaceableCollection, MutableCollection,
    Sendable
{
    private var exchanges: [Exchange] = []

    /// The entries of the file that were skipped, with the reasons.
    var skipped: [Recording.Skipped] = []

    /// Creates an empty archive.
    public init() {}

    /// Creates an archive of the requests that a network recorded, for example after a failed test:
    /// `try HTTPArchive(network.requests).write(to: file)`.
    ///
    /// For each of its last 1,000 requests, a network keeps the request's body, and also the
    /// response's body if it has at most 1 MiB and 10,000 pieces. An exchange that has lost a body
    /// can be neither written nor replayed.
    ///
    /// - Parameter requests: The requests, in the order in which they started. A request that has
    ///   not ended counts as cancelled by the client.
    public init(_ requests: [RecordedRequest]) {
        exchanges = requests.map(Exchange.init)
    }

    /// The position of the first exchange: 0.
    public var startIndex: Int { exchanges.startIndex }

    /// The number of exchanges.
    public var endIndex: Int { exchanges.endIndex }

    /// The exchange at a position.
    public subscript(position: Int) -> Exchange {
        get { exchanges[position] }
        set { exchanges[position] = newValue }
    }

    /// Replaces a range of exchanges with other exchanges.
    public mutating func replaceSubrange(
        _ range: Range<Int>, with newExchanges: some Collection<Exchange>
    ) {
        exchanges.replaceSubrange(range, with: newExchanges)
    }

    /// One request with its response.
    public struct Exchange: Sendable {
        /// The request. Its body is in `httpBody`.
        public var request: URLRequest
        /// The status and headers of the response; nil if the request ended before they arrived.
        ///
        /// The headers may include `Content-Encoding`, but ``body`` is already decoded.
        public var response: HTTPURLResponse?
        /// The pieces of the response's body. Their times count from the start of the request.
        var pieces: [SentPiece]
        /// The error that ended the request, before or after the ``response``; nil if the request
        /// did not fail.
        public var error: URLError?
        /// Whether the client left before the response ended. In that case, the replayed response
        /// does not end.
        var wasCancelled: Bool
        /// When the request was sent; `Date.distantPast` if the file does not contain a valid date.
        var startDate: Date
        /// The place of the exchange in its file; nil if it was not read from a file.
        var place: Recording.Place?
        /// False if the network has not kept the body of the recorded request or of its response.
        var isWhole = true

        /// The decoded body of the response. A body that you set is sent as one piece.
        public var body: Data {
            get { pieces.map(\.data).joined }
            set {
                let time = pieces.last?.time ?? .zero
                pieces = newValue.isEmpty ? [] : [SentPiece(data: newValue, time: time)]
            }
        }
    }
}

extension HTTPArchive: CustomStringConvertible {
    /// One line for each exchange, and the entries of the file that were skipped.
    public var description: String {
        let lines = enumerated().map { "\($0 + 1): \($1)" } + skipped.map { "skipped \($0.text)" }
        return lines.joined(separator: "\n")
    }
}

extension HTTPArchive.Exchange: CustomStringConvertible {
    /// The request and response, such as `GET https://api.example.com/users/7: 200 (OK), 45 bytes`.
    ///
    /// Secrets are redacted as `Redaction.standard` describes.
    public var description: String { text(.standard) }

    func text(_ redaction: Redaction) -> String {
        "\(request.line(redacting: redaction)): \(outcome)"
    }

    private var outcome: String {
        let failure = error.map { URLError.name(of: $0.code) } ?? (wasCancelled ? "left" : nil)
        let head = response.map {
            "\(describe(status: $0.statusCode)), \(byteCount(body.count))"
        }
        return [head, failure].compactMap(\.self).joined(separator: ", ")
    }

    init(_ record: RecordedRequest) {
        let underlying = record.error.map { error in
            error as? URLError
                ?? URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: "\(error)"])
        }
        self.init(
            request: record.request, response: record.response,
            pieces: record.sent.map {
                SentPiece(data: $0.data, time: $0.time - record.startTime)
            },
            error: underlying, wasCancelled: record.wasCancelled || record.endTime == nil,
            startDate: record.startDate, isWhole: !record.hasLostBody && record.sentBody.isComplete
        )
    }

    /// Why the exchange can be neither written nor replayed; nil if it can be written and replayed.
    func loss(_ redaction: Redaction = .standard) -> String? {
        isWhole
            ? nil
            : """
            The network has not kept a body of \(request.line(redacting: redaction)): it keeps \
            the bodies of its last 1,000 requests, and up to 1 MiB of each response. Record such \
            requests with withMockNetwork(replaying:), up to 64 MiB of each response, or remove \
            them from the archive.
            """
    }
}

/// An error for a recording that cannot be read or written.
public struct HTTPArchiveError: DescribedError, Sendable {
    /// What is wrong, in which file and where, and, if possible, how to fix it.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
