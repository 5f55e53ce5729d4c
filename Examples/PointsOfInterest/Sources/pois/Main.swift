import Foundation

@main
struct Main {
    static func main() async {
        keepOffProxies()
        let command = Command(
            showsProgress: isatty(STDERR_FILENO) == 1,
            output: { text in
                // `write(_:)` would end the process with a stack trace.
                do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch {
                    exit(1)
                }
            },
            errors: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) })
        let run = Task { await command.run(Array(CommandLine.arguments.dropFirst())) }

        // Control-C cancels the command, so that its transfers end. Without the first line, the
        // signal ends the process before the source gets it.
        signal(SIGINT, SIG_IGN)
        let interrupts = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interrupts.setEventHandler { run.cancel() }
        interrupts.resume()
        let exitCode = await run.value
        interrupts.cancel()
        exit(exitCode)
    }

    /// Sends the requests for servers of this machine to them.
    ///
    /// On Linux, URLSession sends even a request for 127.0.0.1 to the proxy that `http_proxy` names.
    /// Only the environment prevents that; no setting of the session does. This comes first, since
    /// the environment may only be changed while no other thread reads it.
    private static func keepOffProxies() {
        let environment = ProcessInfo.processInfo.environment
        let present = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        if present != "*" { setenv("no_proxy", "127.0.0.1,localhost,::1,\(present)", 1) }
    }
}
