import APIKitLite
import Foundation

extension NetworkCore {
    /// The whole exchange in the caller's task, for clients without a URLSession.
    func exchange(_ first: URLRequest) async throws -> Answer {
        let jar = CookieJar(self)
        // Most networks never see a cookie, and looking for one costs a microsecond.
        var request = try RequestBody.fill(hasCookieStorage ? jar.applied(to: first) : first, nil)
        for _ in 0...redirectLimit {
            let answer = try await answer(to: request)
            jar.store(from: answer.response, to: request)
            guard let next = redirectedRequest(after: answer.response, from: request) else {
                return answer
            }
            request = jar.applied(to: next)
        }
        throw URLError(.httpTooManyRedirects)
    }

    private func answer(to request: URLRequest) async throws -> Answer {
        let (id, next) = receive(request)
        do {
            let answer = try await finish(next)
            try Task.checkNotCancelled()
            return answer
        } catch {
            guard Task.isCancelled else { throw error }
            journal.markCancelled(id)
            throw URLError(.cancelled)
        }
    }
}
