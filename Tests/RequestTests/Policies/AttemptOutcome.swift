import APIKitLite
import Foundation

/// How one attempt of a table of tests ends.
enum AttemptOutcome {
    case response(status: Int, headers: [String: String] = [:])
    case failure(URLError.Code)
}

extension RetryAttempt {
    init(
        _ number: Int = 1, of request: URLRequest, _ outcome: AttemptOutcome,
        elapsed: Duration = .zero, policy: RetryPolicy = .standard, random: Double = 1,
        now: Date = Date()
    ) {
        var response: HTTPURLResponse?
        var error: URLError?
        switch outcome {
        case .response(let status, let headers): response = .status(status, headers: headers)
        case .failure(let code): error = URLError(code)
        }
        self.init(
            number, of: request, response: response, error: error, elapsed: elapsed,
            policy: policy, random: random, now: now)
    }

    var delay: Duration? {
        if case .retry(let delay, with: nil) = decision { delay } else { nil }
    }
}

extension RetryPolicy {
    /// The delay after each of these outcomes, up to the first outcome that is final.
    func schedule(
        for outcomes: [AttemptOutcome], of request: URLRequest,
        attemptsTaking duration: Duration = .zero, now: Date = Date(), random: Double = 1
    ) -> [Duration] {
        var delays: [Duration] = []
        var elapsed = Duration.zero
        for (index, outcome) in outcomes.enumerated() {
            elapsed += duration
            let attempt = RetryAttempt(
                index + 1, of: request, outcome, elapsed: elapsed, policy: self, random: random,
                now: now.addingTimeInterval(elapsed / .seconds(1)))
            guard let delay = attempt.delay else { break }
            delays.append(delay)
            elapsed += delay
        }
        return delays
    }
}
