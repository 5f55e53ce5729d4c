import APIKitLite
import Foundation

extension MockFailure {
    static func noHandler(_ request: URLRequest) -> MockFailure {
        MockFailure(
            .noHandler,
            """
            MockURLProtocol received \(request.line), but no handler is set. \
            Set MockURLProtocol.requestHandler before the request is made.
            """)
    }

    static func straggler(_ request: URLRequest) -> MockFailure {
        MockFailure(
            .straggler,
            """
            \(request.line) is a straggler: its MockURLProtocol.requestHandler was replaced or \
            cleared before it was called. Wait for every request before a test ends, or give each \
            test a MockNetwork of its own.
            """)
    }

    static func noAnswer(_ request: URLRequest) -> MockFailure {
        MockFailure(
            .noAnswer,
            """
            The MockURLSession has no answer for \(request.line): it was made with neither a \
            response nor an error.
            """)
    }

    static func forbidden(_ record: RecordedRequest, by stub: Stub) -> MockFailure {
        MockFailure(
            .forbidden,
            """
            \(record.request.line) must never be made: the stub for \(stub.matcher) \
            (\(stub.place)) says times: .never.
            """)
    }

    static func unmatched(_ record: RecordedRequest, among stubs: [Stub]) -> MockFailure {
        var text = "No stub answers \(record.request.line)."
        let reports = stubs.reversed().map { ($0, $0.matcher.report(on: record)) }
        if let (stub, report) = reports.max(by: { $0.1.hits < $1.1.hits }) {
            let usedUp = report.hits == report.lines.count
            text += """

                The nearest of \(stubs.count == 1 ? "one stub" : "\(stubs.count) stubs") \
                (\(stub.place))\(usedUp ? " is used up: answered \(stub.callCount) of \(stub.callCount)." : ":")
                \(report.text)
                """
        } else {
            text += " This network has no stubs."
        }
        text += "\nTo answer it: \(record.suggestedStub)"
        return MockFailure(.unmatched, text)
    }
}

extension RecordedRequest {
    fileprivate var suggestedStub: String {
        let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
        let path = "\"\(request.url?.path ?? "/")\""
        let matcher =
            known.contains(method)
            ? ".\(method.lowercased())(\(path))" : ".method(\"\(method)\").path(\(path))"
        return "network.stub(\(matcher), .json(\"{}\"))"
    }
}

extension URLRequest {
    /// Method and URL, without secrets.
    var line: String {
        let url = url.map { Redaction.standard.url($0.absoluteString) } ?? "(no URL)"
        return "\(httpMethod ?? "GET") \(url)"
    }
}
