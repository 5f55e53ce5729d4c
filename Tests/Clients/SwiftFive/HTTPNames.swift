import APIKitLite

// A file that does not import the other module may give the name that no file confuses.
typealias HTTPRetryPolicy = RetryPolicy
