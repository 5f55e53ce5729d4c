import Foundation

/// Writes text to standard error in one call, so that the output of parallel tests does not mix.
package func writeToStandardError(_ text: String) {
    // This method throws if standard error is closed, where `write(_:)` would crash.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
}
