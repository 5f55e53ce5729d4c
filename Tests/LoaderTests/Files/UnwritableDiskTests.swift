// Other platforms cannot start a process, in which a limit does not concern other tests.
#if os(macOS) || os(Linux)
import TestSupport

@testable import APIKitLite

@Suite(.limited) struct UnwritableDiskTests {
    @Test func aFullDiskKeepsWhatItHas() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let bytes = Data.pattern(100_000)
            let part = try PartFile(of: folder.file)
            try part.begin(at: 0, end: 100_000, record: ResumeRecord(at: 0, of: 100_000))
            try part.write(bytes.prefix(40_000))
            limitFiles(to: 50_000)
            #expect(throws: DownloadError.file(path: folder.part.path, code: .EFBIG)) {
                try part.write(bytes.dropFirst(40_000))
            }
            part.abandon()

            #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
            // The system has written what fitted.
            #expect(try PartFile(of: folder.file).record?.offset == 50_000)
            #expect(try Data(contentsOf: folder.part) == bytes.prefix(50_000))
        }
    }

    @Test func aFullDiskLeavesNothingWithoutARecord() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let part = try PartFile(of: folder.file)
            limitFiles(to: 10)
            try part.begin(at: 0, end: 100_000, record: ResumeRecord(at: 0, of: 100_000))
            try part.write(Data.pattern(10))
            part.abandon()
            #expect(folder.names == [])
        }
    }

    @Test func refusesAFolderThatCannotBeWritten() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            #expect(chmod(folder.url.path, 0o555) == 0)
            let user = geteuid()
            // The permissions do not bind the superuser, who may be the only user of a container.
            if user == 0, seteuid(65_534) != 0 { return }
            #expect(throws: DownloadError.file(path: folder.part.path, code: .EACCES)) {
                try PartFile(of: folder.file)
            }
            if user == 0 { #expect(seteuid(user) == 0) }
            #expect(folder.names == [])
            #expect(chmod(folder.url.path, 0o755) == 0)
        }
    }
}

/// Makes the system refuse larger files, as a full disk refuses more bytes.
private func limitFiles(to size: UInt64) {
    // Otherwise a signal ends the process.
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: rlim_t(size), rlim_max: rlim_t(size))
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    #expect(setrlimit(resource, &limit) == 0)
}
#endif
