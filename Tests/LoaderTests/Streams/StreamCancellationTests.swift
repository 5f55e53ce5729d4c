import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Many streams that end at random moments.
@Suite(.limited, .usesSockets) struct StreamCancellationTests {
    /// `Benchmarks streams` has 5,000 streams over each transport.
    @Test(arguments: Transport.allCases)
    func endsEachStreamOnce(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/words"), .words("a", "b", "c"), times: .any)
        let request = WordsRequest(baseURL: baseURL)
        let limited = session.limited(to: 8)

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                let task = Task {
                    var words: [String] = []
                    do throws(APIRequestError) {
                        for try await word in limited.stream(request, "/words") {
                            words.append(word.text)
                            if number % 5 == 0 { break }
                        }
                        #expect(words == (number % 5 == 0 ? ["a"] : ["a", "b", "c"]))
                    } catch {
                        #expect(error.isCancellation && number % 3 == 0, "\(error)")
                        #expect(["a", "b", "c"].starts(with: words))
                    }
                }
                group.addTask {
                    for _ in 0..<(number * 7 % 41) { await Task.yield() }
                    if number % 3 == 0 { task.cancel() }
                    await task.value
                }
            }
        }

        // Every place is free again.
        for _ in 1...8 {
            #expect(await limited.stream(request, "/words").outcome().elements.count == 3)
        }
    }
}
