import APIKitLite
import APIKitLiteTesting
import TestSupport

#if os(macOS) || os(Linux)
/// The command, pasted into a shell, sends what the request says.
@Suite(.enabled(if: hasCurl, "There is no curl on this machine."), .limited, .usesSockets)
struct CurlTests {
    private static let bodies: [Data?] = [
        nil, Data(), Data("plain".utf8), Data("it's \"quoted\" $HOME `id` \\ % @file".utf8),
        Data("@not-a-file".utf8), Data("two\nlines\r\nand a tab\t\n\n".utf8), Data("é 🎈".utf8),
    ]

    @Test(arguments: bodies) func sendsTheSameRequest(_ body: Data?) async throws {
        let network = MockNetwork()
        network.stub(.any, .text("ok"))
        let server = try network.serve()
        var request = URLRequest(url: URL(string: "\(server.url)/a%20b/[c]?q=it's&x=%22$HOME%22")!)
        request.httpMethod = body == nil ? "GET" : "PATCH"
        request.httpBody = body
        request.setValue("it's \"quoted\"; $HOME", forHTTPHeaderField: "X-Quotes")
        request.setValue("Bearer hunter2", forHTTPHeaderField: "Authorization")

        let command = request.curlCommand(redacting: .none) + " --silent --noproxy '*'"
        #expect(try await shell(command) == "ok")
        let received = try #require(network.requests.first)
        #expect(received.method == request.httpMethod)
        #expect(received.request.url == request.url)
        #expect(received.body == body ?? Data())
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            #expect(received.request.value(forHTTPHeaderField: name) == value)
        }
        #expect(received.request.value(forHTTPHeaderField: "Content-Type") == nil)
    }
}
#endif
