import TestSupport

@testable import APIKitLite

/// Two tasks that use copies of one iterator at the same time.
@Suite(.limited) @MainActor struct SimultaneousReadTests {
    @Test func theSecondTaskGetsAnError() async throws {
        let buffer = BodyBuffer()
        let pieces = HTTPBody(buffer).makeAsyncIterator()
        let errors = Locked(0)
        let readers = (1...2).map { _ in
            Task { @MainActor in
                var copy = pieces
                do {
                    return try await copy.next()
                } catch TransportError.bodyReadTwice {
                    errors.withLock { $0 += 1 }
                    buffer.append(Data("a".utf8))
                    return nil
                }
            }
        }

        let read = [try await readers[0].value, try await readers[1].value]
        #expect(read.compactMap(\.self) == [Data("a".utf8)])
        #expect(errors.withLock { $0 } == 1)
    }

    /// The place in a limit belongs to the task that reads.
    @Test func theFirstTaskKeepsItsPlace() async throws {
        let (reading, mayContinue) = (Gate(), Gate())
        let ends = Locked(0)
        let body = HTTPBody(unfolding: {
            reading.open()
            await mayContinue.wait()
            return Data("a".utf8)
        })
        .reportingEnd { _ in ends.withLock { $0 += 1 } }
        let pieces = body.makeAsyncIterator()
        let reader = Task { @MainActor in
            var copy = pieces
            return try await copy.next()
        }
        await reading.wait()
        var copy = pieces

        await #expect(throws: TransportError.bodyReadTwice) { try await copy.next() }
        #expect(ends.withLock { $0 } == 0)
        mayContinue.open()
        #expect(try await reader.value == Data("a".utf8))
    }

    /// A stream whose parser runs on the caller's actor.
    private func streamOnTheActor<R: StreamedAPIRequest>(
        _ request: R, over session: BodySession
    ) -> APIStream<R> where R.RequestDataType == Void { session.stream(request) }

    @Test(arguments: [true, false])
    func elementsHaveOneReaderAtATime(_ isInBackground: Bool) async throws {
        let buffer = BodyBuffer()
        let session = BodySession { HTTPBody(buffer) }
        let stream =
            isInBackground
            ? session.stream(EventsRequest()) : streamOnTheActor(EventsRequest(), over: session)
        let events = stream.makeAsyncIterator()
        let reader = Task { @MainActor in
            var copy = events
            return try await copy.next()
        }
        await yieldWhile { events.response == nil }
        var copy = events

        let error = await #expect(throws: APIRequestError.self) { try await copy.next() }
        #expect(error?.stage == .transport)
        #expect(error?.underlying as? TransportError == .bodyReadTwice)
        buffer.append(Data("data: a\n\n".utf8))
        #expect(try await reader.value?.data == "a")
    }

    /// Each call of the function belongs to another reader, and the last one does not return.
    @Test func leavingEndsTheCallThatRuns() async throws {
        for _ in 0..<500 {
            let calls = Locked(0)
            let ended = Gate()
            let body = HTTPBody(unfolding: {
                if calls.next() <= 2 { return Data("a".utf8) }
                defer { ended.open() }
                _ = try await waitForCancellation()
                return nil
            })
            let pieces = Iterators(first: body.makeAsyncIterator())
            let readers = (1...2).map { _ in
                Task.detached {
                    var copy = pieces.first
                    while calls.withLock({ $0 < 3 }) {
                        _ = try? await copy.next()
                        await Task.yield()
                    }
                }
            }

            await yieldWhile { calls.withLock { $0 < 3 } }
            for reader in readers { reader.cancel() }
            await ended.wait()
        }
    }
}

private struct Iterators: @unchecked Sendable {  // Copies may be used by several tasks.
    let first: HTTPBody.AsyncIterator
}
