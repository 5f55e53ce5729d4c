import Foundation

@main
struct Main {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        keepOffProxies((try? Options(arguments))?.baseURL?.host ?? "127.0.0.1")
        let command = Command(
            output: { FileHandle.standardOutput.write(Data($0.utf8)) },
            errors: { FileHandle.standardError.write(Data($0.utf8)) })
        exit(await command.run(arguments))
    }

    // Comes first: the environment may only be changed while no other thread reads it.
    private static func keepOffProxies(_ host: String) {
        let environment = ProcessInfo.processInfo.environment
        if let value = noProxy(for: host, environment: environment) {
            setenv("no_proxy", value, 1)
        }
    }
}
