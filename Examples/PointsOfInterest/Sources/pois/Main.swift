import APIKitLite
import APIKitLiteTesting
import Foundation
import PlacesServer
import PointsOfInterest

@main
struct Main {
    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            switch options.action {
            case .help: write(help)
            case .serve(let port): try await serve(port)
            case .find(let place): try await find(near: place, options)
            }
        } catch let error as UsageError {
            fail(error.localizedDescription, code: 64)
        } catch let error as LoopbackServerError {
            fail(sentence(about: error), code: 1)
        } catch {
            fail(error.localizedDescription, code: 1)
        }
    }

    private static func find(near place: Coordinate, _ options: Options) async throws {
        keepOffProxies(options.baseURL?.host ?? "127.0.0.1")
        if let baseURL = options.baseURL {
            return try await load(from: baseURL, near: place, options)
        }
        let server = try MockNetwork.places(PlacesIndex.world()).serve()
        defer { server.stop() }
        try await load(from: server.url, near: place, options)
    }

    private static func load(
        from baseURL: URL, near place: Coordinate, _ options: Options
    ) async throws {
        let session: any HTTPSession =
            options.isVerbose
            ? VerboseSession(URLSession.shared) { write($0 + "\n", to: .standardError) }
            : URLSession.shared
        let loader = APIRequestLoader(
            apiRequest: PointsOfInterestRequest(baseURL: baseURL, limit: options.limit),
            urlSession: session)
        do {
            // Another server may answer in another order, and with more than it was asked for.
            let places = Array(try await loader.load(place).seen(from: place).prefix(options.limit))
            write(options.printsJSON ? try json(of: places) : table(of: places))
        } catch let error as APIRequestError {
            fail(sentence(about: error, from: baseURL), code: 1)
        }
    }

    private static func serve(_ port: Int) async throws {
        let index = try PlacesIndex.world()
        let server = try MockNetwork.places(index).serve(port: port)
        defer { server.stop() }
        write(
            """
            Serving \(index.places.count) places at \(server.url). Stop with control-C, and try:
            curl '\(server.url)/locations?lat=37.3293&long=-121.8893&limit=3'

            """)
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    // First of all: the environment may only be changed while nobody else reads it.
    private static func keepOffProxies(_ host: String) {
        let environment = ProcessInfo.processInfo.environment
        if let value = noProxy(for: host, environment: environment) {
            setenv("no_proxy", value, 1)
        }
    }

    private static func write(_ text: String, to file: FileHandle = .standardOutput) {
        file.write(Data(text.utf8))
    }

    private static func fail(_ sentence: String, code: Int32) -> Never {
        write("pois: \(sentence)\n", to: .standardError)
        exit(code)
    }
}
