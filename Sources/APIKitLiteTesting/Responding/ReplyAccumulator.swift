import APIKitLite
import Foundation

/// Collects the parts of one reply, for a client that wants the whole answer.
struct ReplyAccumulator {
    private var pieces: [Data] = []

    /// Adds a part, and returns the result if it is the last one.
    mutating func add(_ part: Reply.Part) -> Result<(Data, HTTPURLResponse), any Error>? {
        for step in part.steps {
            switch step.event {
            case .piece(let data, _): pieces.append(data)
            case .end: return part.reply.response.map { .success((pieces.joined, $0)) }
            case .failure(let error, _): return .failure(error)
            case .cutHead: return .failure(URLError(.networkConnectionLost))
            case .head, .gate, .source, .later, .passed, .silence: continue
            }
        }
        return nil
    }
}
