import Testing

@testable import APIKitLite

@Suite(.timeLimit(.minutes(5))) struct TransferRateTests {
    /// The rate after these bytes at these milliseconds.
    private func rate(_ samples: [(milliseconds: Int, bytes: Int64)]) -> TransferRate {
        var rate = TransferRate()
        for sample in samples {
            rate.note(sample.bytes, at: .milliseconds(sample.milliseconds))
        }
        return rate
    }

    @Test func isTheQuotientOfBytesAndTime() {
        let rate = rate([(0, 0), (500, 1_000)])
        #expect(rate.bytesPerSecond == 2_000)
        #expect(rate.secondsRemaining(of: 5_000) == 2)
        #expect(rate.secondsRemaining(of: 500) == 0)
    }

    @Test func isUnknownAtFirst() {
        #expect(rate([]).bytesPerSecond == nil)
        #expect(rate([(0, 100)]).bytesPerSecond == nil)
        #expect(rate([(0, 100)]).secondsRemaining(of: 200) == nil)
        #expect(rate([(0, 100), (1_000, 100)]).secondsRemaining(of: 200) == nil)
    }

    @Test func doesNotCountResumedBytes() {
        #expect(rate([(0, 1_000_000), (1_000, 1_000_100)]).bytesPerSecond == 100)
    }

    @Test func countsOnlyTheLastSeconds() {
        var samples: [(milliseconds: Int, bytes: Int64)] = []
        for second in 0...10 { samples.append((second * 1_000, Int64(second) * 100)) }
        for second in 1...5 {
            samples.append((10_000 + second * 1_000, 1_000 + Int64(second) * 900))
        }
        #expect(rate(samples).bytesPerSecond == 900)
    }

    @Test func ignoresSamplesThatAreTooClose() {
        var rate = rate([(0, 0), (1_000, 1_000)])
        let isEarlyNoted = rate.note(9_000, at: .milliseconds(1_050))
        #expect(!isEarlyNoted)
        #expect(rate.bytesPerSecond == 1_000)
        rate.note(9_000, at: .milliseconds(2_000))
        #expect(rate.bytesPerSecond == 4_500)
    }

    @Test func beginsAgainWithFewerBytes() {
        let rate = rate([(0, 0), (1_000, 1_000), (1_010, 0), (2_010, 50)])
        #expect(rate.bytesPerSecond == 50)
    }
}
