import APIKitLite
import Foundation

extension RecordedRequest {
    /// The stub that answered the request or is going to; nil if none matched.
    public internal(set) var stub: Stub? {
        get { answeringStub as? Stub }
        set { answeringStub = newValue }
    }
}

extension RecordedRequest {
    /// Records a reply that is given immediately.
    mutating func record(_ reply: Reply) {
        endTime = startTime
        if case .failure(let error, _) = reply.steps[0].event {
            self.error = error
        } else {
            (response, wholeBody) = (reply.response, reply.body)
        }
    }

    /// Records a part of a reply.
    mutating func record(_ part: Reply.Part, at time: Duration, limit: SentBody.Limit) {
        if part.reply.isPassedThrough { wasPassedThrough = true }
        // A handler makes a body of its own for each request, so a long one is only counted.
        let isKept = part.isWhole && part.byteCount <= SentBody.Limit().bytes
        if isKept { wholeBody = part.reply.body }
        for step in part.steps {
            switch step.event {
            case .head: response = part.reply.response
            case .piece(let data, _) where !isKept:
                if sentBody == nil { sentBody = SentBody(limit: limit) }
                sentBody?.add(data, at: time)
            case .failure(let error, _): self.error = error
            case .cutHead: error = URLError(.networkConnectionLost)
            default: break
            }
        }
    }
}
