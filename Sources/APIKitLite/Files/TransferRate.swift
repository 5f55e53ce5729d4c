/// The speed of a transfer over its last seconds, computed from the times at which bytes arrived.
struct TransferRate {
    /// The number of bytes that were transferred at a moment.
    private struct Sample {
        let moment: Duration
        let bytes: Int64
    }

    /// The time over which the speed is measured.
    private static let window = Duration.seconds(5)
    /// The shortest time between two samples, so that their number is limited.
    private static let step = Duration.milliseconds(100)

    private var samples: [Sample] = []

    /// Notes how many bytes were transferred at a moment.
    ///
    /// - Parameters:
    ///   - bytes: The bytes so far. A number below the last one begins a new measurement.
    ///   - moment: The time, which does not decrease.
    /// - Returns: Whether the speed changed. It does not within 100 ms of the last change.
    @discardableResult
    mutating func note(_ bytes: Int64, at moment: Duration) -> Bool {
        if let last = samples.last {
            if bytes < last.bytes {
                samples = []
            } else if moment < last.moment + Self.step {
                return false
            }
        }
        // The newest sample outside the window stays, so that the window is covered.
        while samples.count > 1, samples[1].moment <= moment - Self.window {
            samples.removeFirst()
        }
        samples.append(Sample(moment: moment, bytes: bytes))
        return true
    }

    /// The speed in bytes per second. It is `nil` before the second sample.
    var bytesPerSecond: Double? {
        guard samples.count > 1, let first = samples.first, let last = samples.last else {
            return nil
        }
        return Double(last.bytes - first.bytes) / (last.moment - first.moment).seconds
    }

    /// Returns the seconds until a total is reached at this speed.
    ///
    /// - Parameter total: The bytes of the whole transfer.
    /// - Returns: The seconds. It is `nil` if the speed is unknown or zero.
    func secondsRemaining(of total: Int64) -> Double? {
        guard let bytesPerSecond, bytesPerSecond > 0, let last = samples.last else { return nil }
        return Double(max(0, total - last.bytes)) / bytesPerSecond
    }
}
