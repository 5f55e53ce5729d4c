import APIKitLite
import Foundation

/// The time that the parsers of streams take for each byte, beside the decoding of the same bytes as
/// one `String`, as a table. A ratio is the median of those of all rounds.
func timesOfStreamParsers(rounds: Int) throws {
    print("| event | parser | pieces | ns/byte | String | ratio |\n|---:|---|---|---:|---:|---:|")
    for size in [20, 100, 1_000] {
        let stream = events(of: size)
        for length in [stream.count, 16_384] {
            let pieces = stride(from: 0, to: stream.count, by: length).map {
                stream[$0..<min($0 + length, stream.count)]
            }
            let name = pieces.count == 1 ? "one" : "of 16 KiB"
            try compare("\(size) | ServerSentEvents | \(name)", stream, rounds) {
                try count(ServerSentEvents(), pieces)
            }
            try compare("\(size) | .json | \(name)", stream, rounds) {
                try count(ServerSentEvents().json(Delta.self), pieces)
            }
        }
    }
}

private struct Delta: Decodable {
    let t: String
}

/// About 10 MB of events with this number of bytes each.
private func events(of size: Int) -> Data {
    let frame = "data: {\"t\":\"\"}\n\n".utf8.count
    let event = "data: {\"t\":\"\(String(repeating: "x", count: size - frame))\"}\n\n"
    return Data(String(repeating: event, count: 10_000_000 / size).utf8)
}

private func count(_ parser: some StreamParser, _ pieces: [Data]) throws -> Int {
    var parser = parser
    var count = 0
    for piece in pieces { count += try parser.parse(piece).count }
    return try count + parser.finish().count
}

private func compare(
    _ title: String, _ stream: Data, _ rounds: Int, parse: () throws -> Int
) throws {
    var ours: [Double] = []
    var theirs: [Double] = []
    for _ in 0..<rounds {
        ours.append(try nanoseconds(parse) / Double(stream.count))
        theirs.append(
            nanoseconds { String(decoding: stream, as: UTF8.self).utf8.count }
                / Double(stream.count))
    }
    let ratio = zip(ours, theirs).map { $0 / $1 }.median.rounded(to: 10)
    print(
        "| \(title) | \(ours.median.rounded(to: 100)) | \(theirs.median.rounded(to: 100)) |",
        "\(ratio) |")
}

/// The processor time of a call that returns a number, which must not be 0.
private func nanoseconds(_ work: () throws -> Int) rethrows -> Double {
    let start = processorTime()
    let count = try work()
    precondition(count > 0)
    return (processorTime() - start) * 1e9
}
