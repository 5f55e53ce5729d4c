extension Duration {
    /// About 31 years: longer than any wait, and short enough to be added without overflow.
    static let forever = Duration.seconds(1_000_000_000)

    var clamped: Duration { max(.zero, min(self, .forever)) }

    var seconds: Double { self / .seconds(1) }
}
