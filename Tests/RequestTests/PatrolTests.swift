import Testing

@testable import APIKitLite

/// When a patrol waits, sleeps and ends: decided without a task and a clock.
@Suite struct PatrolTests {
    /// Those who wait, with a patrol for them as soon as one is needed.
    private struct Watch {
        var state = Deadlines.State()

        mutating func add(until deadline: Duration) -> Int {
            defer { update() }
            return state.queue.add(nil, until: deadline)
        }

        mutating func update() {
            state.update { _ in Task {} }
        }

        mutating func step(at now: Duration) -> Deadlines.Step? {
            guard let id = state.patrol?.id else { return nil }
            return state.nextStep(of: id, at: now, hasGrace: true)
        }
    }

    @Test func waitsForTheGraceBeforeItSleeps() {
        var watch = Watch()
        _ = watch.add(until: .seconds(30))

        #expect(watch.step(at: .zero) == .wait(atMost: .seconds(10)))
        #expect(watch.step(at: .seconds(1)) == .sleep(until: .seconds(30)))
    }

    @Test func needsNoGraceWhereThereIsNone() {
        var watch = Watch()
        _ = watch.add(until: .seconds(30))

        let step = watch.state.nextStep(of: 1, at: .zero, hasGrace: false)
        #expect(step == .sleep(until: .seconds(30)))
    }

    @Test(arguments: [
        (Duration.zero, Duration.seconds(10)), (.seconds(28), .seconds(1)),
        (.seconds(30), .zero), (.seconds(31), .milliseconds(-500)),
    ])
    func theGraceIsOverBeforeTheDeadline(_ now: Duration, _ limit: Duration) {
        var watch = Watch()
        _ = watch.add(until: .seconds(30))

        #expect(watch.step(at: now) == .wait(atMost: limit))
    }

    @Test func waitsAgainAfterAMomentWithoutAnything() {
        var watch = Watch()
        let first = watch.add(until: .seconds(30))
        _ = watch.step(at: .zero)
        _ = watch.state.remove(first)
        watch.update()
        _ = watch.add(until: .seconds(31))

        #expect(watch.state.patrol?.id == 1)
        #expect(watch.step(at: .seconds(1)) == .wait(atMost: .seconds(10)))
        #expect(watch.step(at: .seconds(2)) == .sleep(until: .seconds(31)))
    }

    @Test func endsWhereNothingIsUnderWay() {
        var watch = Watch()
        let id = watch.add(until: .seconds(30))
        _ = watch.step(at: .zero)
        _ = watch.state.remove(id)
        watch.update()

        #expect(watch.step(at: .seconds(1)) == nil)
        #expect(watch.state.patrol == nil)
    }

    @Test func isCalledBackFromTheClock() {
        var watch = Watch()
        let id = watch.add(until: .seconds(30))
        _ = (watch.step(at: .zero), watch.step(at: .zero))
        watch.state.rest(id)
        watch.update()

        #expect(watch.state.patrol == nil)
    }

    @Test func aNewOneTakesOverTheGraceOfWhomWentOn() {
        var watch = Watch()
        let id = watch.add(until: .seconds(30))
        _ = watch.step(at: .zero)
        watch.state.rest(id)
        watch.update()
        #expect(watch.state.patrol?.id == 1)

        watch.state.goOn(id)
        watch.update()

        #expect(watch.state.patrol?.id == 2)
        #expect(watch.step(at: .seconds(29)) == .wait(atMost: .milliseconds(500)))
    }

    @Test func whoIsGoneDoesNotRest() {
        var watch = Watch()
        let gone = watch.add(until: .seconds(10))
        _ = watch.state.remove(gone)
        watch.state.rest(gone)

        _ = watch.add(until: .seconds(20))

        #expect(watch.step(at: .zero) == .wait(atMost: .seconds(10)))
        #expect(watch.step(at: .zero) == .sleep(until: .seconds(20)))
    }

    @Test func whoIsDueRestsNoMore() {
        var watch = Watch()
        let late = watch.add(until: .seconds(10))
        watch.state.rest(late)
        #expect(watch.state.takeDue(at: .seconds(10)).count == 1)

        _ = watch.add(until: .seconds(20))

        #expect(watch.step(at: .seconds(10)) == .wait(atMost: .seconds(5)))
        #expect(watch.step(at: .seconds(15)) == .sleep(until: .seconds(20)))
    }
}
