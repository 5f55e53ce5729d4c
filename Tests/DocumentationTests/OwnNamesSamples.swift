import APIKitLite

typealias HTTPRetryPolicy = RetryPolicy
typealias HTTPAuthenticator = Authenticator
typealias HTTPAuthenticationError = AuthenticationError
