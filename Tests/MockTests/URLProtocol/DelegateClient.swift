import TestSupport

/// A client that drives a session through delegates, as Alamofire does.
final class DelegateClient: NSObject, URLSessionDataDelegate, Sendable {
    enum Event: Equatable {
        case redirect(Int, to: String)
        case response(Int)
        case piece(String)
        case end(URLError.Code?)
    }

    /// Where the delegate is set. Foundation on Linux tells a task's own delegate only about
    /// redirects and challenges, over a real network too, so there is no `task` alone.
    enum Level: CaseIterable {
        case session
        case sessionAndTask
    }

    private let recorder = Recorder<Event>()
    private let followsRedirects: Bool

    init(followsRedirects: Bool = true) { self.followsRedirects = followsRedirects }

    /// Runs one task to its end, and returns the events in order.
    func run(
        _ request: URLRequest, _ configuration: URLSessionConfiguration, _ level: Level,
        whenStarted: @Sendable (URLSessionDataTask) async -> Void = { _ in }
    ) async -> [Event] {
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        let task = session.dataTask(with: request)
        if level == .sessionAndTask { task.delegate = self }
        task.resume()
        await whenStarted(task)
        let events = await recorder.events { if case .end = $0 { true } else { false } }
        // A further callback of the same task would come before this block.
        await withCheckedContinuation { continuation in
            session.delegateQueue.addOperation { continuation.resume() }
        }
        session.finishTasksAndInvalidate()
        return events
    }

    /// Returns the events with adjacent pieces joined to one.
    static func joined(_ events: [Event]) -> [Event] {
        events.reduce(into: []) { joined, event in
            if case .piece(let next) = event, case .piece(let text) = joined.last {
                joined[joined.count - 1] = .piece(text + next)
            } else {
                joined.append(event)
            }
        }
    }

    var firstEvent: Event? { get async { await recorder.events { _ in true }.first } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        recorder.append(.redirect(response.statusCode, to: newRequest.url?.path ?? ""))
        completionHandler(followsRedirects ? newRequest : nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        recorder.append(.response((response as? HTTPURLResponse)?.statusCode ?? 0))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        recorder.append(.piece(data.text))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) { recorder.append(.end(error.map { ($0 as? URLError)?.code ?? .unknown })) }
}

/// A delegate that calls functions with a response and its pieces.
final class CallbackDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let didReceiveResponse: @Sendable (URLResponse) -> Void
    private let didReceivePiece: @Sendable (URLSessionDataTask, Data) -> Void

    init(
        response: @escaping @Sendable (URLResponse) -> Void = { _ in },
        piece: @escaping @Sendable (URLSessionDataTask, Data) -> Void = { _, _ in }
    ) { (didReceiveResponse, didReceivePiece) = (response, piece) }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        didReceiveResponse(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        didReceivePiece(dataTask, data)
    }
}

extension MockNetwork {
    func urlSession(delegate: (any URLSessionDelegate)?) -> URLSession {
        URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }
}
