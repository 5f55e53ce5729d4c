import APIKitLite

// A file that does not import the other module may give the names that no file confuses.
typealias HTTPRetryPolicy = RetryPolicy
typealias HTTPAuthenticator = Authenticator
typealias HTTPAuthenticationError = AuthenticationError
