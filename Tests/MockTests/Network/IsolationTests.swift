import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct IsolationTests {
    @Test func networksNeverRespondForEachOther() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<20 {
                group.addTask {
                    let network = MockNetwork { _ in (HTTPURLResponse(), Data("\(id)".utf8)) }
                    let session = network.urlSession
                    try await withThrowingTaskGroup(of: String.self) { group in
                        for _ in 0..<10 {
                            group.addTask { try await session.exchange(.test("same")).0.text }
                        }
                        for try await text in group { #expect(text == "\(id)") }
                    }
                    #expect(network.requests.count == 10)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func aConfigurationKeepsItsNetwork() async throws {
        let configurations = (0..<100).map { MockNetwork(.text("\($0)")).configuration }

        for id in stride(from: 0, to: 100, by: 10) {
            let session = URLSession(configuration: configurations[id])
            #expect(try await session.exchange(.test("a")).0.text == "\(id)")
        }
    }

    @Test func aConfigurationWithoutCredentialsKeepsItsNetwork() async throws {
        func session(_ text: String) -> URLSession {
            let configuration = MockNetwork(.text(text)).configuration
            #if canImport(FoundationNetworking)
            // On Apple platforms nothing else keeps the network.
            configuration.urlCredentialStorage = nil
            #endif
            return URLSession(configuration: configuration)
        }

        let (old, new) = (session("old"), session("new"))

        #expect(try await old.exchange(.test("a")).0.text == "old")
        #expect(try await new.exchange(.test("a")).0.text == "new")
    }

    @Test func aClassOfAReleasedNetworkFailsItsRequests() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = MockNetwork().configuration.protocolClasses

        let text = try await URLSession(configuration: configuration).mockError()

        #expect(text.contains("whose MockNetwork was released"))
    }

    @Test func aReturnedClassIsNotTakenAgainImmediately() {
        let stale: AnyClass? = MockNetwork().configuration.protocolClasses?.first
        let networks = (0..<10).map { _ in MockNetwork() }

        for network in networks {
            #expect(network.configuration.protocolClasses?.first.map { $0 == stale } == false)
        }
    }

    @TaskLocal private static var kept: (any Sendable)?

    @Test func leavesNothingBehind() async throws {
        final class Marker: Sendable {
            let count: Locked<Int>
            init(_ count: Locked<Int>) {
                self.count = count
                count.withLock { $0 += 1 }
            }
            deinit { count.withLock { $0 -= 1 } }
        }
        let alive = Locked(0)
        for index in 0..<100 {
            let marker = Marker(alive)
            // The tasks of a network have the task-local values of the code that creates it.
            let network = Self.$kept.withValue(Marker(alive)) {
                MockNetwork { _ in
                    withExtendedLifetime(marker) { (HTTPURLResponse(), Data("x".utf8)) }
                }
            }
            if index.isMultiple(of: 4) {
                _ = try await network.urlSession.exchange(.test("a"))
            } else {
                _ = network.urlSession
            }
        }

        // Callbacks that still run keep a few of the handlers.
        await yieldWhile { alive.withLock { $0 } > 0 }
    }
}
