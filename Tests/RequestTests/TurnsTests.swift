import Testing

@testable import APIKitLite

@Suite struct TurnsTests {
    /// `+` somebody comes, `-` the one who has gone longest is done, a digit: that one gives up.
    /// Gives, for each step, who goes, or `.` where nobody does.
    private func play(_ steps: String, limit: Int) -> String {
        var turns = Turns(limit)
        var numbers: [Character: Int] = [:]
        var names: [Int: Character] = [:]
        var arrivals = 0
        return String(
            steps.map { step -> Character in
                switch step {
                case "+":
                    arrivals += 1
                    let name = Character(String(arrivals))
                    guard let number = turns.arrive() else { return name }
                    numbers[name] = number
                    names[number] = name
                    return "."
                case "-":
                    return turns.finish().flatMap { names[$0] } ?? "."
                default:
                    return turns.giveUp(numbers[step] ?? 0) ? "x" : "."
                }
            })
    }

    @Test(arguments: [
        (1, "+-+-", "1.2."),
        (1, "+++--", "1..23"),
        (2, "+++--+", "12.3.4"),
        (3, "++++++---", "123...456"),
        // Who gives up is passed over, once, and only while waiting.
        (1, "++++2-", "1...x3"),
        (1, "++++23-", "1...xx4"),
        (1, "++++234-+", "1...xxx.5"),
        (1, "+++22-", "1..x.3"),
        (1, "+++-2-", "1..2.3"),
        (2, "++++4-4-", "12..x3.."),
        // A place that nobody waits for is free again.
        (1, "++2-+", "1.x.3"),
        (1, "+-++", "1.2."),
        // Below one counts as one.
        (0, "++-", "1.2"), (-5, "++-", "1.2"), (.min, "++-", "1.2"),
    ])
    func areTakenInOrder(_ limit: Int, _ steps: String, _ expected: String) {
        #expect(play(steps, limit: limit) == expected)
    }

    @Test func loseNoPlaceOverARandomDay() {
        var random = SeededGenerator(seed: 4)
        for limit in 1...5 {
            var turns = Turns(limit)
            var (running, waiting): (Int, [Int]) = (0, [])
            for _ in 0..<2_000 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0 where running > 0:
                    let next = turns.finish()
                    #expect(next == waiting.first)
                    if next == nil { running -= 1 } else { waiting.removeFirst() }
                case 1 where !waiting.isEmpty:
                    let leaver = waiting.randomElement(using: &random)!
                    let hasLeft = turns.giveUp(leaver)
                    #expect(hasLeft)
                    waiting.removeAll { $0 == leaver }
                default:
                    let number = turns.arrive()
                    #expect((number == nil) == (running < limit))
                    if let number { waiting.append(number) } else { running += 1 }
                }
                #expect(running <= limit && (waiting.isEmpty || running == limit))
            }
        }
    }
}
