import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples about uploads of Files.md.
@Suite(.limited, .usesSockets) struct UploadSamples {
    struct VideoRequest: APIRequest {
        typealias ResponseDataType = Void

        var baseURL = URL(string: "https://api.example.com")!

        func makeRequest(from file: URL) throws -> URLRequest {
            try URLRequest("PUT", baseURL, path: "/videos/7").fileBody(file)
        }
    }

    struct ReportRequest: APIRequest {
        typealias ResponseDataType = Void

        var baseURL = URL(string: "https://api.example.com")!

        func makeRequest(from file: URL) throws -> URLRequest {
            try URLRequest("POST", baseURL, path: "/reports").multipartBody([
                .text("title", "June"),
                .file("scan", at: file),
            ])
        }
    }

    private let folder = try! TemporaryFolder()

    @Test func uploadsAFile() async throws {
        let file = try folder.write("moving pictures", "holiday.mp4")
        let network = MockNetwork()
        network.stub(.put("/videos/7"), .status(503), .status(204))
        let session = network.urlSession.retrying(RetryPolicy(baseDelay: .zero))

        try await session.load(VideoRequest(), file)

        #expect(network.requests.map(\.body.text) == ["moving pictures", "moving pictures"])
        #expect(network.requests[0].header("Content-Type") == "video/mp4")
    }

    @Test func uploadsAForm() async throws {
        let file = try folder.write("%PDF", "june.pdf")
        let network = MockNetwork()
        network.stub(
            .post("/reports").part("title", text: "June")
                .part("scan", fileName: "june.pdf", contentType: "application/pdf"),
            .created)

        try await network.urlSession.load(ReportRequest(), file)
    }

    @Test func showsTheProgress() async throws {
        let file = try folder.write("moving pictures", "holiday.mp4")
        let network = MockNetwork()
        network.stub(.put("/videos/7"), .status(204))
        let session = network.urlSession

        let progress = Progress(totalUnitCount: 0)
        try await session.reporting(to: progress).load(VideoRequest(), file)

        #expect(progress.fractionCompleted == 1)
    }

    @Test func saysWhichFileIsMissing() async throws {
        let file = folder.url.appending(path: "missing.mp4")
        let session = MockNetwork().urlSession

        do throws(APIRequestError) {
            try await session.load(VideoRequest(), file)
            Issue.record("The file is missing.")
        } catch {
            let reason = (error.underlying as? FileBodyError)?.reason
            #expect(error.stage == .makeRequest)
            #expect(reason == .missing)
        }
    }
}
