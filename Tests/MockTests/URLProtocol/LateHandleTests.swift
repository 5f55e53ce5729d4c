import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

/// A request that is matched on a thread of its own, beside the delivery of its answer.
@Suite(.limited) struct LateHandleTests {
    @Test func anAnswerThatWasDeliveredIsNotCancelled() async {
        let responder = LateProtocol.shared
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [LateProtocol.self]
        let session = URLSession(configuration: configuration)

        session.dataTask(with: .test("a")) { _, _, _ in responder.delivered.signal() }.resume()
        await responder.released.wait()

        #expect(responder.cancellations.withLock { $0 } == 0)
    }
}

private final class LateProtocol: MockURLProtocol {
    static let shared = LateResponder()

    override class var responder: any Responder { shared }
}

/// Returns the handle of a request after its answer was delivered.
private final class LateResponder: Responder {
    let delivered = DispatchSemaphore(value: 0)
    let cancellations = Locked(0)
    /// Open when nobody has the handle any more.
    let released = Gate()

    var cookieStorage: HTTPCookieStorage? { nil }
    var matchesWithUserCode: Bool { true }

    func load(
        _ request: URLRequest, for client: any Client,
        respond: @escaping @Sendable (AnswerPart) -> Void
    ) -> RequestCancellation {
        let response = HTTPURLResponse(
            url: request.url!, statusCode: 200, httpVersion: nil, headerFields: nil)!
        respond(Answer(response: response, body: []).part)
        delivered.wait()
        let end = HandleEnd(gate: released)
        return RequestCancellation(recordCancellation: { [cancellations] in
            withExtendedLifetime(end) { cancellations.withLock { $0 += 1 } }
        })
    }
}

private final class HandleEnd: Sendable {
    private let gate: Gate

    init(gate: Gate) {
        self.gate = gate
    }

    deinit {
        gate.open()
    }
}
