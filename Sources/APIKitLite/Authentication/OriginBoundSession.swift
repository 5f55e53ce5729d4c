import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session whose exchanges are redirected to some origins only, besides their own.
///
/// Each session that follows redirects asks ``RedirectLimits``, however many policies lie between.
/// One that does not know it has sent the request by then, but its answer is refused.
struct OriginBoundSession: SessionPolicy {
    let next: any HTTPSession
    let origins: Set<[String]>

    func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await RedirectLimits.$origins.withValue(origins) {
            let answer = try await next.exchange(request)
            // A response that was made by hand may not say where it is from.
            if let url = answer.1.url, url.host() != nil,
                let refusal = RedirectLimits(of: request).refusal(of: url)
            {
                throw refusal
            }
            return answer
        }
    }
}
