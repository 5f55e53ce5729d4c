import APIKitLiteTesting
import Foundation
import XCTest

/// What `protocolClasses` holds, as the article on URLProtocol (Qiita) prints it.
final class ProtocolClassesTests: HandlerTestCase {
    private func names(_ configuration: URLSessionConfiguration) -> [String] {
        (configuration.protocolClasses ?? []).map { "\($0)" }
    }

    func testAConfigurationBeginsWithFoundationsOwn() {
        let names = names(.ephemeral)

        XCTAssert(names.contains { $0.contains("HTTP") }, "\(names)")
        XCTAssertFalse(names.contains("MockURLProtocol"))
    }

    func testAssigningReplacesThem() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]

        XCTAssertEqual(names(configuration), ["MockURLProtocol"])
        let session = URLSession(configuration: configuration)
        XCTAssertEqual(names(session.configuration), ["MockURLProtocol"])
    }

    func testRegisteringIsNotSeenInOtherConfigurations() {
        MockURLProtocol.register()
        defer { MockURLProtocol.unregister() }

        XCTAssertFalse(names(.default).contains("MockURLProtocol"))
        XCTAssertFalse(names(.ephemeral).contains("MockURLProtocol"))
        #if canImport(FoundationNetworking)
        // There is no other way into the shared session there.
        XCTAssertEqual(names(URLSession.shared.configuration).first, "MockURLProtocol")
        #else
        XCTAssertFalse(names(URLSession.shared.configuration).contains("MockURLProtocol"))
        #endif
    }

    func testUnregisteringLeavesNothing() {
        let before = names(URLSession.shared.configuration)

        MockURLProtocol.register()
        MockURLProtocol.unregister()

        XCTAssertFalse(before.contains("MockURLProtocol"))
        XCTAssertEqual(names(URLSession.shared.configuration), before)
    }
}
