#if os(Linux)

/// A body of 200 MB, of which only the beginning has content. It counts the bytes that are read: the
/// system has pages only for these.
package final class VastBody {
    package static let size = 200_000_000
    private let address: UnsafeMutableRawPointer

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - start: Its beginning.
    ///   - unit: What follows, repeated for 3 MB.
    package init(_ start: String, repeating unit: String) {
        address = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
        madvise(address, Self.size, MADV_NOHUGEPAGE)
        let content = start + String(repeating: unit, count: 3_000_000 / unit.utf8.count)
        content.utf8.withContiguousStorageIfAvailable {
            address.copyMemory(from: $0.baseAddress!, byteCount: $0.count)
        }
    }

    deinit { munmap(address, Self.size) }

    /// The body. It may be used as long as this object exists.
    package var data: Data { Data(bytesNoCopy: address, count: Self.size, deallocator: .none) }

    /// The number of bytes that have been read, in whole pages, with the 3 MB that were written.
    package var bytesRead: Int {
        let page = sysconf(Int32(_SC_PAGESIZE))
        var pages = [UInt8](repeating: 0, count: (Self.size + page - 1) / page)
        mincore(address, Self.size, &pages)
        return pages.count { $0 & 1 == 1 } * page
    }
}
#endif
