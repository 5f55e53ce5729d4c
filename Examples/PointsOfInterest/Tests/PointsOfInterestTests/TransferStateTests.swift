import Testing
import pois

/// The line that a terminal shows of a transfer.
@Suite struct TransferStateTests {
    @Test(
        arguments: [
            (80, 0, 1_500_000, nil, nil, "[                    ]    0%  0 bytes of 1.5 MB"),
            (
                80, 420_000, 1_500_000, 200_000, 5.4,
                "[====>               ]   28%  420.0 kB of 1.5 MB  200.0 kB/s  6 s left"
            ),
            (
                80, 1_499_999, 1_500_000, 200_000, 0,
                "[==================> ]   99%  1.5 MB of 1.5 MB  200.0 kB/s  0 s left"
            ),
            (
                80, 1_500_000, 1_500_000, 200_000, 0,
                "[====================]  100%  1.5 MB of 1.5 MB  200.0 kB/s"
            ),
            (200, 1, 2, nil, nil, "[=========>          ]   50%  1 byte of 2 bytes"),
            (37, 1, 2, nil, nil, "[====>     ]   50%  1 byte of 2 bytes"),
            (36, 1, 2, nil, nil, " 50%  1 byte of 2 bytes"),
            (35, 1, 2, 1, 1, " 50%  1 byte of 2 bytes  1 byte/s"),
            (32, 1, 2, 1, 1, " 50%  1 byte of 2 bytes"),
            (0, 1, 2, 1, 1, " 50%  1 byte of 2 bytes"),
            (80, 420_000, nil, 200_000, nil, "420.0 kB  200.0 kB/s"),
            (10, 420_000, nil, 200_000, nil, "420.0 kB"),
            (80, 0, 0, nil, nil, "[====================]  100%  0 bytes of 0 bytes"),
            // A server that sends more than it announced.
            (80, 3, 2, nil, nil, "[====================]  100%  3 bytes of 2 bytes"),
        ] as [(Int, Int64, Int64?, Int?, Double?, String)])
    func isALineOfText(
        _ width: Int, _ completed: Int64, _ total: Int64?, _ speed: Int?, _ seconds: Double?,
        _ text: String
    ) {
        let state = TransferState(
            completed: completed, total: total, bytesPerSecond: speed, secondsRemaining: seconds)

        #expect(state.text(width: width) == text)
    }

    @Test(
        arguments: [
            (0, "0 s"), (0.1, "1 s"), (59, "59 s"), (59.1, "1 min 0 s"), (3_599, "59 min 59 s"),
            (5_400, "1 h 30 min"), (.infinity, "277777 h 46 min"),
        ] as [(Double, String)])
    func saysTheTimeThatIsLeft(_ seconds: Double, _ text: String) {
        let state = TransferState(completed: 1, total: 2, secondsRemaining: seconds)

        #expect(state.text(width: 80).hasSuffix("  \(text) left"))
    }

    @Test(
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1_000, "1.0 kB"),
            (1_250_000, "1.2 MB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
            (999_999_999, "1.0 GB"), (2_000_000_000_000_000, "2000.0 TB"),
        ] as [(Int64, String)])
    func roundsSizes(_ bytes: Int64, _ text: String) {
        #expect(size(of: bytes) == text)
    }

    @Test(arguments: 0...120)
    func fitsTheTerminal(_ width: Int) {
        let state = TransferState(
            completed: 12_345_678, total: 98_765_432, bytesPerSecond: 123_456,
            secondsRemaining: 4_000)

        #expect(state.text(width: width).count <= max(width, " 12%  12.3 MB of 98.8 MB".count))
    }
}
