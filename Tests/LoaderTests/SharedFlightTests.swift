import Foundation
import Testing

@testable import APIKitLite

/// The one flight behind coalescing and the refresh of a credential.
@Suite(.timeLimit(.minutes(1))) struct SharedFlightTests {
    private func outcome(_ seat: SharedFlight<Int>.Seat) async -> Result<Int, TestError> {
        do {
            return .success(try await seat.value())
        } catch {
            return .failure(error as? TestError ?? TestError(number: -1))
        }
    }

    @Test(arguments: [Result<Int, TestError>.success(7), .failure(TestError(number: 7))])
    func endsTheSameForAThousand(_ end: Result<Int, TestError>) async throws {
        let mayEnd = Gate()
        let first = SharedFlight<Int>.start(endsWithLastPassenger: true) {
            await mayEnd.wait()
            return try end.get()
        }
        let seats = [first] + (1..<1_000).compactMap { _ in first.flight.board() }
        let waiting = seats.map { seat in Task { await outcome(seat) } }

        mayEnd.open()

        for task in waiting { #expect(await task.value == end) }
        #expect(seats.count == 1_000)
        #expect(first.flight.isOver)
        #expect(first.flight.board() == nil)
    }

    @Test func keepsItsEndForOneWhoDoesNotWaitYet() async throws {
        let seat = SharedFlight<Int>.start(endsWithLastPassenger: true) { 7 }
        let late = seat.flight.board()

        #expect(try await seat.value() == 7)
        #expect(try await late?.value() ?? 7 == 7)
    }

    @Test func letsOneLeaveAlone() async throws {
        let mayEnd = Gate()
        let first = SharedFlight<Int>.start(endsWithLastPassenger: true) {
            await mayEnd.wait()
            return 7
        }
        let second = try #require(first.flight.board())
        let staying = Task { await outcome(first) }
        let leaving = Task { try await second.value() }

        leaving.cancel()
        let error = await #expect(throws: URLError.self) { try await leaving.value }
        mayEnd.open()

        #expect(error?.code == .cancelled)
        #expect(await staying.value == .success(7))
    }

    @Test func isCalledOffByTheLastWhoLeaves() async throws {
        let isCancelled = Gate()
        let first = SharedFlight<Int>.start(endsWithLastPassenger: true) {
            _ = try? await waitForCancellation()
            isCancelled.open()
            throw TestError()
        }
        let second = try #require(first.flight.board())
        let tasks = [first, second].map { seat in Task { try await seat.value() } }

        for task in tasks { task.cancel() }
        for task in tasks {
            let error = await #expect(throws: URLError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }

        #expect(first.flight.board() == nil)
        await isCancelled.wait()
    }

    @Test func goesOnEmptyWhereItShould() async throws {
        let mayEnd = Gate()
        let ended = Gate()
        let first = SharedFlight<Int>.start(endsWithLastPassenger: false) {
            await mayEnd.wait()
            #expect(!Task.isCancelled)
            ended.open()
            return 7
        }
        let task = Task { try await first.value() }
        task.cancel()
        await #expect(throws: URLError.self) { try await task.value }

        let late = try #require(first.flight.board())
        mayEnd.open()

        #expect(try await late.value() == 7)
        await ended.wait()
    }

    @Test func endsEachPassengerOnceUnderCancellation() async throws {
        for round in 0..<50 {
            let first = SharedFlight<Int>.start(endsWithLastPassenger: true) {
                await Task.yield()
                return round
            }
            let seats = [first] + (1..<20).compactMap { _ in first.flight.board() }
            await withTaskGroup(of: Void.self) { group in
                for (index, seat) in seats.enumerated() {
                    let task = Task { try await seat.value() }
                    group.addTask {
                        if index.isMultiple(of: 2) { task.cancel() }
                        let value = try? await task.value
                        #expect(value == round || value == nil)
                    }
                }
            }
        }
    }
}
