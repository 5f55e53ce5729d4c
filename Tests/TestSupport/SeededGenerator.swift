/// Random numbers that are the same in every run (SplitMix64), so a failure can be repeated.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Text with the special characters of URLs, JSON and shells; never empty, `.` or `..`.
    package mutating func text() -> String {
        let scalars = Array("aZ09 /?#&=+%{}[]\"'\\;:@.,<>\r\n\t\0üé\u{301}世🎈".unicodeScalars)
        let count = Int.random(in: 1...8, using: &self)
        var text = String.UnicodeScalarView("x".unicodeScalars)
        for _ in 0..<count { text.append(scalars.randomElement(using: &self)!) }
        return String(text)
    }
}
