import Foundation

@main
struct Main {
    static func main() async {
        keepOffProxies()
        let command = Command(
            columns: terminalColumns(),
            showsProgress: isatty(STDERR_FILENO) == 1,
            output: { text in
                guard let code = write(text, to: STDOUT_FILENO) else { return }
                // After `| head`, nobody reads the rest.
                if code != EPIPE {
                    let reason = String(cString: strerror(code))
                    _ = write(
                        "pois: The output could not be written: \(reason).\n", to: STDERR_FILENO)
                }
                exit(1)
            },
            errors: { _ = write($0, to: STDERR_FILENO) })
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

    /// Returns the width of the terminal at standard output. A file and a pipe have no width.
    private static func terminalColumns() -> Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return .max
        }
        return Int(size.ws_col)
    }

    /// Writes a text with the function of the system, whose error code tells a full device from a
    /// closed pipe.
    ///
    /// - Returns: The code of the error; nil if the text was written.
    private static func write(_ text: String, to descriptor: Int32) -> Int32? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return nil
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
