/// Checks each row of a table in one test, and records an error that a row throws with its name.
///
/// A large table as `arguments:` prints a line for each row, so that the lines of a failure are
/// hard to find.
///
/// - Parameters:
///   - name: Returns the text that tells the row from the others.
///   - check: Checks one row. Its expectations name the row in their comments.
package func forEachRow<Row: Sendable>(
    _ rows: [Row], named name: (Row) -> String = { "\($0)" },
    isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation,
    check: (Row, Comment) async throws -> Void
) async {
    for row in rows {
        let comment = Comment(rawValue: name(row))
        do {
            try await check(row, comment)
        } catch {
            Issue.record(error, comment, sourceLocation: sourceLocation)
        }
    }
}
