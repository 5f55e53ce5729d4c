import Foundation

/// Writes a text to standard error, with one call, so that the texts of parallel tests do not mix.
package func writeToStandardError(_ text: String) {
    // Throws if standard error is closed; `write(_:)` would end the process.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
}
