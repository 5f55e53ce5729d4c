import Foundation
import TestSupport
import Testing

@testable import APIKitLite

/// The shared work behind coalescing and the refresh of a credential.
@Suite(.limited) struct SingleFlightTests {
    private func started(
        isCancelledWithLastWaiter: Bool, _ work: @escaping @Sendable () async throws -> Int
    ) -> SingleFlight<Int>.Handle {
        let handle = SingleFlight<Int>.joined(
            isCancelledWithLastWaiter: isCancelledWithLastWaiter)
        handle.singleFlight.start(work)
        return handle
    }

    private func outcome(_ handle: SingleFlight<Int>.Handle) async -> Result<Int, TestError> {
        do {
            return .success(try await handle.value())
        } catch {
            return .failure(error as? TestError ?? TestError(number: -1))
        }
    }

    @Test(arguments: [Result<Int, TestError>.success(7), .failure(TestError(number: 7))])
    func endsTheSameForAThousand(_ end: Result<Int, TestError>) async throws {
        let mayEnd = Gate()
        let first = started(isCancelledWithLastWaiter: true) {
            await mayEnd.wait()
            return try end.get()
        }
        let handles = [first] + (1..<1_000).compactMap { _ in first.singleFlight.join() }
        let waiting = handles.map { handle in Task { await outcome(handle) } }

        mayEnd.open()

        for task in waiting { #expect(await task.value == end) }
        #expect(handles.count == 1_000)
        #expect(first.singleFlight.isOver)
        #expect(first.singleFlight.join() == nil)
    }

    @Test func keepsItsEndForOneWhoDoesNotWaitYet() async throws {
        let handle = started(isCancelledWithLastWaiter: true) { 7 }
        let late = handle.singleFlight.join()

        #expect(try await handle.value() == 7)
        #expect(try await late?.value() ?? 7 == 7)
    }

    @Test func letsOneLeaveAlone() async throws {
        let mayEnd = Gate()
        let first = started(isCancelledWithLastWaiter: true) {
            await mayEnd.wait()
            return 7
        }
        let second = try #require(first.singleFlight.join())
        let staying = Task { await outcome(first) }
        let leaving = Task { try await second.value() }

        leaving.cancel()
        let error = await #expect(throws: URLError.self) { try await leaving.value }
        mayEnd.open()

        #expect(error?.code == .cancelled)
        #expect(await staying.value == .success(7))
    }

    @Test func isCancelledByTheLastWhoLeaves() async throws {
        let isCancelled = Gate()
        let first = started(isCancelledWithLastWaiter: true) {
            _ = try? await waitForCancellation()
            isCancelled.open()
            throw TestError()
        }
        let second = try #require(first.singleFlight.join())
        let tasks = [first, second].map { handle in Task { try await handle.value() } }

        for task in tasks { task.cancel() }
        for task in tasks {
            let error = await #expect(throws: URLError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }

        #expect(first.singleFlight.join() == nil)
        await isCancelled.wait()
    }

    @Test func goesOnEmptyWhereItShould() async throws {
        let mayEnd = Gate()
        let ended = Gate()
        let first = started(isCancelledWithLastWaiter: false) {
            await mayEnd.wait()
            #expect(!Task.isCancelled)
            ended.open()
            return 7
        }
        let task = Task { try await first.value() }
        task.cancel()
        await #expect(throws: URLError.self) { try await task.value }

        let late = try #require(first.singleFlight.join())
        mayEnd.open()

        #expect(try await late.value() == 7)
        await ended.wait()
    }

    @Test func endsEachWaiterOnceUnderCancellation() async throws {
        for round in 0..<50 {
            let first = started(isCancelledWithLastWaiter: true) {
                await Task.yield()
                return round
            }
            let handles = [first] + (1..<20).compactMap { _ in first.singleFlight.join() }
            await withTaskGroup(of: Void.self) { group in
                for (index, handle) in handles.enumerated() {
                    let task = Task { try await handle.value() }
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
