import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The promise of a download: under the name of the file is what was there before, or the whole
/// right file.
@Suite(.timeLimit(.minutes(5)), .usesSockets) struct DownloadFaultTests {
    private let bytes = Data.pattern(100)
    private let old = Data("old".utf8)
    private let record = ResumeRecord(
        identity: "https://api.example.com/file", validator: "\"1\"", offset: 0, length: 100)

    private func folder(with count: Int) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try old.write(to: folder.file)
        guard count > 0 else { return folder }
        var record = record
        record.offset = Int64(count)
        try folder.leavePart(bytes.prefix(count), record)
        return folder
    }

    @Test(arguments: [0, 37, 99, 100])
    func everyFaultEndsInTheRightFileOrAnError(_ kept: Int) async throws {
        let (bytes, old) = (bytes, old)
        for response in [
            MockResponse.file(bytes),
            .data(Data(bytes.suffix(from: min(kept, 99))), status: 206).header("ETag", "\"1\"")
                .header(
                    "Content-Range", "bytes \(min(kept, 99))-99/100"),
        ] {
            try await forEachFault(in: response) { network in
                let folder = try folder(with: kept)
                var failure: APIRequestError?
                do throws(APIRequestError) {
                    try await MockURLSession(network).download(
                        FileRequest(), "/file", to: folder.file,
                        checking: ShortHash.check(of: bytes))
                } catch {
                    failure = error
                }
                #expect(folder.content == (failure == nil ? bytes : old))

                // Whatever was left, the next call has the file.
                let healthy = MockNetwork()
                healthy.stub(.any, .file(bytes))
                try await MockURLSession(healthy).download(
                    URLRequest.test("/file"), to: folder.file)
                #expect(folder.content == bytes)
                #expect(folder.names == ["file.bin"])
                if let failure { throw failure }
            }
        }
    }

    /// Two losses in a row, without a digest.
    @Test func everyByteMayBeTheLast() async throws {
        for first in stride(from: 0, through: 100, by: 9) {
            for second in 0...100 - first {
                let network = MockNetwork()
                let folder = try folder(with: 0)
                network.stub(
                    .any, .file(bytes).failing(afterBytes: first),
                    .file(bytes).failing(afterBytes: second), .file(bytes))
                for _ in 0..<3 where folder.content == old {
                    _ = try? await MockURLSession(network).download(
                        URLRequest.test("/file"), to: folder.file)
                    #expect(folder.content == old || folder.content == bytes)
                }
                #expect(folder.content == bytes, "lost after \(first) and \(second) bytes")
            }
        }
    }

    /// A new version of the same length appears between the two calls.
    @Test(arguments: [0, 1, 37, 99, 100]) func versionsNeverMix(_ lost: Int) async throws {
        let other = Data(bytes.map { $0 ^ 0xFF })
        for second in 0...100 {
            let network = MockNetwork()
            let folder = try folder(with: lost)
            network.stub(
                .any, .file(other, tag: "\"2\"").failing(afterBytes: second),
                .file(other, tag: "\"2\""))
            for _ in 0..<2 where folder.content == old {
                _ = try? await MockURLSession(network).download(
                    URLRequest.test("/file"), to: folder.file)
                #expect(folder.content == old || folder.content == other)
            }
            #expect(folder.content == other)
        }
    }
}
