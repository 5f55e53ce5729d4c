/// A random number generator that returns the same numbers for the same seed (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Returns `number` different indices in `0..<count`, in ascending order; all of them if there
    /// are fewer.
    mutating func indices(_ number: Int, of count: Int) -> [Int] {
        if count <= number { return Array(0..<count) }
        var chosen: Set<Int> = []
        while chosen.count < number { chosen.insert(Int.random(in: 0..<count, using: &self)) }
        return chosen.sorted()
    }
}
