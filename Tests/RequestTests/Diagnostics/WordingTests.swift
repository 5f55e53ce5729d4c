import TestSupport

@testable import APIKitLite

/// Each text of the core's errors and events. `Wordings.txt` shows them.
@Suite(.limited) struct WordingTests {
    struct Plain: Error { var reason = "r" }
    private struct Worded: LocalizedError { var errorDescription: String? { "Own words." } }
    private struct Lines: Error, CustomStringConvertible { let description = "one\n  two" }

    private static let request = try! URLRequest("GET", URL(string: "https://h/v1/users")!)

    @Test func areThoseOfTheFile() throws {
        try expectWordings(
            Self.loads + [Self.networkErrors, Self.statuses, Self.bodies(), Self.streams()]
                + [Self.otherErrors, Self.events] + BadInputTests.wordings())
    }

    /// A user reads no name of an API, no address and no path.
    @Test func usersReadNoCode() {
        let own: [any LocalizedError] =
            Self.files + Self.transport + Self.downloads + Self.streamErrors + [
                RequestBuildingError("Set `httpBody` to nil."),
                UnacceptableStatusError(statusCode: 404),
            ]
        let stages = APIRequestError.Stage.allCases
        let loads = (own.map { $0 as any Error } + [Plain(), CancellationError()]).flatMap {
            error in
            stages.map { APIRequestError(stage: $0, request: Self.request, underlying: error) }
        }
        let network = Self.networkCodes.map { Self.load(.transport, URLError($0)) }
        for error in own.map({ $0 as any Error }) + loads + network {
            let text = error.localizedDescription
            // A call, a path, a URL, a name such as `httpBody` or `URLSession`, and code.
            #expect(!text.contains(/\w\(|\/|[a-z][A-Z]|[A-Z]{2}|`|\.\.|_|!/), "\(text)")
            #expect(text.hasSuffix(".") && !text.contains("RequestTests"), "\(text)")
        }
        // Each case is among them: a new one does not compile, or is missing here.
        #expect(Set(Self.transport.map(Self.name)).count == 7)
        #expect(Set(Self.downloads.map(Self.name)).count == 4)
        #expect(Set(Self.files.map(Self.name)).count == 4)
        #expect(Set(Self.streamErrors.map(Self.name)).count == 6)
    }

    // These do not compile where a case is missing.

    private static func name(_ error: TransportError) -> String {
        switch error {
        case .notHTTP, .invalidatedSession, .refusedRedirect, .credentialChanged, .bodyLimit,
            .bodyTooLarge, .bodyReadTwice:
            label(error)
        }
    }

    private static func name(_ error: DownloadError) -> String {
        switch error {
        case .fileInUse, .partChanged, .file, .wrongLength: label(error)
        }
    }

    private static func name(_ error: FileBodyError) -> String {
        switch error {
        case .missing, .notAFile, .unreadable, .resized: label(error)
        }
    }

    // Its mirror names no case.
    private static func name(_ error: StreamError) -> String {
        switch error {
        case .event: "event"
        case .unfinished: "unfinished"
        case .unexpectedJSON: "unexpectedJSON"
        case .lineTooLong: "lineTooLong"
        case .unexpectedContentType: "unexpectedContentType"
        case .compressed: "compressed"
        }
    }

    private static func label(_ error: any Error) -> String {
        Mirror(reflecting: error).children.first?.label ?? "\(error)"
    }

    /// What a user reads and what a developer reads, or the text for both.
    private static func both(_ error: any Error & CustomStringConvertible) -> String {
        let (user, developer) = (error.localizedDescription, error.description)
        return user == developer ? user : "User: \(user)\n\(developer)"
    }

    private static func load(
        _ stage: APIRequestError.Stage, _ error: any Error, _ status: Int? = nil,
        type: String = "application/json; charset=utf-8", body: String? = nil
    ) -> APIRequestError {
        APIRequestError(
            stage: stage, request: request,
            response: status.map { .status($0, headers: ["Content-Type": type]) },
            data: body.map { Data($0.utf8) }, underlying: error)
    }

    private static var loads: [Wordings] {
        let context = DecodingError.Context(codingPath: [], debugDescription: "x")
        let encoding = EncodingError.Context(codingPath: [], debugDescription: "x")
        let unreachable = URLError(
            .cannotConnectToHost,
            userInfo: [NSLocalizedDescriptionKey: "No route to https://h/"])
        let status = UnacceptableStatusError(statusCode: 404)
        return [
            Wordings(
                "A request that is not made",
                [
                    load(.makeRequest, Plain()), load(.makeRequest, Worded()),
                    load(.makeRequest, RequestBuildingError("A GET request has no body.")),
                    load(.makeRequest, EncodingError.invalidValue(1, encoding)),
                    APIRequestError(stage: .makeRequest, underlying: Worded()),
                ].map(both)),
            Wordings(
                "A request without a complete response",
                [
                    load(.transport, URLError(.timedOut)),
                    load(.transport, NSError(domain: NSURLErrorDomain, code: NSURLErrorTimedOut)),
                    load(.transport, unreachable), load(.transport, URLError(.cancelled)),
                    load(.transport, Plain()), load(.transport, Lines()),
                    load(.transport, CancellationError()),
                    APIRequestError(
                        stage: .transport, underlying: URLError(.cancelled), isCancellation: true),
                ].map(both)),
            Wordings(
                "A response that is not accepted",
                [
                    load(.validate, status, 404),
                    load(
                        .validate, status, 404,
                        body: #"{"message":"no such user","secret":"hunter2"}"#),
                    load(.validate, Plain(), 502, type: "text/html", body: "<p>hunter2</p>"),
                    load(.validate, Plain(), 503), load(.validate, Plain(), 200),
                    load(.validate, Worded(), 200),
                ].map(both)),
            Wordings(
                "A response that is not understood",
                both(load(.parse, DecodingError.dataCorrupted(context), 200)),
                "\(APIRequestError(stage: .parse, underlying: DecodingError.dataCorrupted(context)))"
            ),
        ]
    }

    private static let networkCodes: [URLError.Code] = [
        .timedOut, .notConnectedToInternet, .networkConnectionLost, .cannotFindHost,
        .dnsLookupFailed, .cannotConnectToHost, .serverCertificateUntrusted,
        .serverCertificateHasUnknownRoot, .serverCertificateHasBadDate,
        .serverCertificateNotYetValid, .secureConnectionFailed, .clientCertificateRejected,
        .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection, .badURL,
        .unsupportedURL, .httpTooManyRedirects, .redirectToNonExistentLocation,
        .badServerResponse, .cannotParseResponse, .cannotDecodeRawData,
        .cannotDecodeContentData, .zeroByteResource, .dataLengthExceedsMaximum,
        .resourceUnavailable, .fileDoesNotExist, .noPermissionsToReadFile,
        .cannotLoadFromNetwork, .dataNotAllowed, .internationalRoamingOff, .callIsActive,
        .userAuthenticationRequired, .userCancelledAuthentication, .cancelled, .unknown,
    ]

    private static var networkErrors: Wordings {
        Wordings(
            "Errors of the network",
            networkCodes.map {
                "\($0.rawValue): \(load(.transport, URLError($0)).localizedDescription)"
            })
    }

    private static var statuses: Wordings {
        let accepted = [
            [200..<300], [304..<305], [200..<300, 304..<305], [200..<201, 304..<305, 410..<420], [],
        ]
        return Wordings(
            "A status",
            accepted.map { both(UnacceptableStatusError(statusCode: 404, accepted: $0)) })
    }

    private struct User: Decodable {
        enum Kind: String, Decodable { case admin }
        var id: Int
        var name: String
        var token: Kind?
    }
    private struct Page: Decodable { var items: [User] }

    private static func bodies() throws -> Wordings {
        func reason<T: Decodable>(_ body: String, as type: T.Type) throws -> String {
            let error = try #require(throws: DecodingError.self) {
                try JSONDecoder().decode(type, from: Data(body.utf8))
            }
            return load(.parse, error, 200, body: body).description
                .components(separatedBy: "\n")[1...3].joined(separator: "\n")
        }
        let pages = [
            #"{"items":[{"id":1,"name":"a"},{"id":"2","name":"b"}]}"#, #"{"items":{}}"#,
            #"{"items":[1]}"#, "[]", #"{"items":[{"id":null}]}"#, #"{"items":[{"id":true}]}"#, "{}",
            #"{"items":[{"id":1,"title":"x"}]}"#,
            // A secret that the decoder quotes.
            #"{"items":[{"id":1,"name":"a","token":"hunter2"}]}"#, "", " \n",
            "\n <!DOCTYPE html><title>Login</title>", "<a/>",
        ]
        return Wordings(
            "A body that is not understood",
            try pages.map { try reason($0, as: Page.self) } + [
                try reason(#"{"a b":{"5":"x"}}"#, as: [String: [String: Int]].self)
            ])
    }

    private static let streamErrors: [StreamError] = [
        .event(
            ServerSentEvent(
                event: "error", data: #"{"message":"overloaded","api_key":"hunter2"}"#)),
        .unfinished(elementCount: 1), .unfinished(elementCount: 0),
        .unexpectedJSON(#"{"error":{"code":503,"api_key":"hunter2"}}"#),
        .lineTooLong(limit: 16_777_216),
        .unexpectedContentType(found: "text/html", expected: ["a/b", "c/d"]), .compressed,
    ]

    private static func streams() throws -> Wordings {
        var lines = JSONLines([User].self)
        let undecoded = try #require(throws: DecodingError.self) {
            try lines.parse(Data(#"[{"id":1,"name":"a"},{"id":"x","token":"hunter2"}]"#.utf8))
                + lines.finish()
        }
        let undecodedEvent = #expect(throws: APIRequestError.self) {
            try ServerSentEvent(event: "add", data: #"{"name":7}"#, id: "42").decode(User.self)
        }!
        return Wordings(
            "A stream",
            streamErrors.map { both(load(.parse, $0, 200, type: "text/event-stream")) }
                + [
                    both(load(.parse, undecoded, 200, type: "text/event-stream")),
                    both(undecodedEvent),
                ])
    }

    private static let photo = URL(filePath: "/photos/my photo.jpg")
    private static let files: [FileBodyError] = [
        .missing(photo), .notAFile(photo), .unreadable(photo, .EACCES),
        .resized(photo, from: 5, to: 7),
    ]
    private static let transport: [TransportError] = [
        .notHTTP(URL(string: "ftp://h")), .notHTTP(nil), .invalidatedSession,
        .refusedRedirect(from: "https://a", to: "https://b"), .credentialChanged,
        .bodyLimit(1_048_576), .bodyTooLarge(limit: 1_048_576), .bodyReadTwice,
    ]
    private static let downloads: [DownloadError] = [
        .fileInUse(photo), .partChanged(photo), .file(path: "/photos/a.jpg", code: .ENOENT),
        .file(path: "/photos/a.jpg", code: .ENOSPC), .wrongLength(expected: 1_000, received: 1),
    ]

    private static var otherErrors: Wordings {
        Wordings(
            "Files, transport and downloads",
            files.map(both) + transport.map(both)
                + downloads.map(both))
    }

    private static var events: Wordings {
        var request = URLRequest(url: URL(string: "https://u:p@a.example/b?token=hunter2&q=1")!)
        request.setValue("Bearer hunter2", forHTTPHeaderField: "Authorization")
        let error = APIRequestError(
            stage: .parse, request: request, data: Data("[1,\n  2]".utf8),
            underlying: Plain(reason: "no\nbooks"))
        func event(
            _ kind: ExchangeEvent.Kind, _ id: Int, _ status: Int? = nil, _ duration: Duration? = nil
        ) -> ExchangeEvent {
            ExchangeEvent(
                kind, id: id, request, response: status.map { .status($0) }, after: duration)
        }
        return Wordings(
            "Events of an exchange",
            [
                event(.started, 1), event(.received(bytes: 1234), 1, 200, .milliseconds(30)),
                event(.received(bytes: 1), 2, 799, .seconds(61.0625)),
                event(.failed(URLError(.timedOut)), 3, nil, .seconds(30)),
                event(.failed(CancellationError()), 4, nil, .zero),
                event(.resent, 5, nil, .milliseconds(1)), event(.opened, 6, 200, .zero),
                event(.closed(bytes: 2), 6, nil, .seconds(1)),
                event(.left(bytes: 0), 7, nil, .seconds(2)), ExchangeEvent(rejected: error, id: 8),
            ].map(\.description))
    }
}
