#if canImport(AuthenticationServices) && (os(iOS) || os(macOS))
import AuthenticationServices

/// The browser of the sign-in in Authentication.md, to copy. Only Apple platforms have it.
@MainActor final class SignInPage: NSObject, ASWebAuthenticationPresentationContextProviding {
    private var session: ASWebAuthenticationSession?

    func callback(from page: URL) async throws -> URL {
        try await withCheckedThrowingContinuation { next in
            let session = ASWebAuthenticationSession(url: page, callbackURLScheme: "app") {
                @Sendable url, error in
                next.resume(with: url.map { .success($0) } ?? .failure(error ?? URLError(.unknown)))
            }
            session.presentationContextProvider = self
            self.session = session
            session.start()
        }
    }

    nonisolated func presentationAnchor(
        for session: ASWebAuthenticationSession
    ) -> ASPresentationAnchor {
        MainActor.assumeIsolated { ASPresentationAnchor() }
    }
}
#endif
