import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@testable import APIKitLite

/// The promise of a download: under the name of the file is what was there before, or the whole
/// right file.
@Suite(.limited, .usesSockets) struct DownloadFaultTests {
    private let bytes = Data.pattern(40)
    private let old = Data("old".utf8)

    private func folder(with count: Int) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try old.write(to: folder.file)
        guard count > 0 else { return folder }
        try folder.leavePart(bytes.prefix(count), ResumeRecord(at: Int64(count), of: 40))
        return folder
    }

    @Test(arguments: [0, 17, 39, 40])
    func everyFaultEndsInTheRightFileOrAnError(_ kept: Int) async throws {
        let (bytes, old) = (bytes, old)
        let start = min(kept, 39)
        let part = MockResponse.data(Data(bytes.suffix(from: start)), status: 206)
            .header("ETag", "\"1\"").header("Content-Range", "bytes \(start)-39/40")
        // Without a part on disk, a part of the file is no good answer.
        for response in [.file(bytes)] + (kept > 0 ? [part] : []) {
            try await forEachFault(in: response) { network in
                let folder = try folder(with: kept)
                var failure: APIRequestError?
                do throws(APIRequestError) {
                    try await network.download(FileRequest(), "/file", to: folder.file)
                } catch {
                    failure = error
                }
                if failure != nil {
                    #expect(folder.content == old)
                } else if folder.content != bytes {
                    // Nothing shows that the body of this answer is not the file.
                    let served = try await uncancelled {
                        try await network.exchange(.test("/file")).0
                    }
                    #expect(folder.content == served, "\(Fault.current)")
                }

                // The next call gets the file from any state that this call left.
                let healthy = MockNetwork()
                healthy.stub(.any, .file(bytes))
                _ = try await uncancelled {
                    try await healthy.download(URLRequest.test("/file"), to: folder.file)
                }
                #expect(folder.content == bytes, "\(Fault.current)")
                #expect(folder.names == ["file.bin"], "\(Fault.current)")
                if let failure { throw failure }
            }
        }
    }

    @Test func anyByteMayBeTheLast() async throws {
        for first in stride(from: 0, through: 40, by: 5) {
            let rest = 40 - first
            for second in Set(stride(from: first % 6, to: rest, by: 6)).union([rest]) {
                let network = MockNetwork()
                let folder = try folder(with: 0)
                network.stub(
                    .any, .file(bytes).failing(afterBytes: first),
                    .file(bytes).failing(afterBytes: second), .file(bytes))
                for _ in 0..<3 where folder.content == old {
                    _ = try? await network.download(URLRequest.test("/file"), to: folder.file)
                    #expect(folder.content == old || folder.content == bytes)
                }
                #expect(folder.content == bytes, "lost after \(first) and \(second) bytes")
            }
        }
    }

    @Test(arguments: [0, 1, 17, 39, 40]) func versionsNeverMix(_ lost: Int) async throws {
        let other = Data(bytes.map { $0 ^ 0xFF })
        for second in Set(stride(from: lost % 6, to: 40, by: 6)).union([0, 1, 39, 40]) {
            let network = MockNetwork()
            let folder = try folder(with: lost)
            network.stub(
                .any, .file(other, tag: "\"2\"").failing(afterBytes: second),
                .file(other, tag: "\"2\""))
            for _ in 0..<2 where folder.content == old {
                _ = try? await network.download(URLRequest.test("/file"), to: folder.file)
                #expect(folder.content == old || folder.content == other)
            }
            #expect(folder.content == other)
        }
    }
}

/// Runs work that goes on when the task is cancelled.
private func uncancelled<R: Sendable>(
    _ work: @escaping @Sendable () async throws -> R
) async throws -> R {
    try await Task(operation: work).value
}
