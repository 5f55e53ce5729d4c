extension Data {
    /// Zeros in gzip, 2,064 for each 13 bytes. The stream has no end, so it cannot be read to the end.
    package static func gzippedZeros(_ count: Int) -> Data {
        // A block with fixed codes: a zero, then the previous byte 258 times, again and again
        // (RFC 1951, section 3.2.6).
        let (block, zero, match) = ("010", "00110000", "1100010100000")
        let beginning = bytes(block + zero + match)
        let matches = bytes(String(repeating: match, count: 8))
        var data: Data = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] + beginning
        for _ in 0..<count / (8 * 258) { data += matches }
        return data
    }

    /// The bytes of a number of bits that is a multiple of 8, the lowest bit of each byte first.
    private static func bytes(_ bits: String) -> Data {
        var data = Data(count: bits.count / 8)
        for (index, bit) in bits.enumerated() where bit == "1" {
            data[index / 8] |= 1 << (index % 8)
        }
        return data
    }
}
