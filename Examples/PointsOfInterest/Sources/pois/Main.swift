import Foundation

@main
struct Main {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        keepOffProxies((try? Options(arguments))?.baseURL?.host ?? "127.0.0.1")
        let command = Command(
            terminal: .standardError,
            output: { text in
                // `write(_:)` would end the process with a stack trace.
                do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch {
                    exit(1)
                }
            },
            errors: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) })
        let run = Task { await command.run(arguments) }
        let interrupts = cancelling(run)
        let exitCode = await run.value
        interrupts.cancel()
        exit(exitCode)
    }

    /// Cancels the command at control-C, so that its transfers end.
    ///
    /// - Returns: The source of the signal, which must be kept as long as the command runs.
    private static func cancelling(_ run: Task<Int32, Never>) -> any DispatchSourceSignal {
        // Otherwise, the signal ends the process before the source gets it.
        signal(SIGINT, SIG_IGN)
        let interrupts = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interrupts.setEventHandler {
            if run.isCancelled { exit(130) }
            run.cancel()
        }
        interrupts.resume()
        return interrupts
    }

    // Comes first: the environment may only be changed while no other thread reads it.
    private static func keepOffProxies(_ host: String) {
        let environment = ProcessInfo.processInfo.environment
        if let value = noProxy(for: host, environment: environment) {
            setenv("no_proxy", value, 1)
        }
    }
}
