import Foundation

let arguments = CommandLine.arguments.dropFirst()
let number = arguments.dropFirst().first.flatMap { Int($0) }
switch arguments.first {
case "probe": try await probe(arguments.last!)
case "compare": try await compareAll(rounds: number ?? 15)
case "cancel": try await cancelAtRandom(number ?? 200_000)
case "flight": try await manyInFlight(number ?? 10_000)
case "networks": try await manyNetworks(number ?? 200, requests: 50)
default:
    print(
        """
        usage: Benchmarks compare [rounds] | cancel [loads] | flight [requests] | networks [count]

        compare   ratios against bare URLSession and the talk's mock, as a table
        cancel    loads with every third one cancelled at a random moment
        flight    requests in flight at once, each answered after 1 s
        networks  networks in parallel on one URL, 50 requests each
        """)
}
