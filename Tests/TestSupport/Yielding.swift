/// Lets other tasks run while a condition is true, or until the task is cancelled, as by the time
/// limit of a test.
package func yieldWhile(
    isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool
) async {
    while condition(), !Task.isCancelled { await Task.yield() }
}
