import Foundation

let arguments = CommandLine.arguments.dropFirst()
let number = arguments.dropFirst().first.flatMap { Int($0) }
switch arguments.first {
case "compare": try await compareAll(rounds: number ?? 15)
case "policies": try await costOfPolicies(rounds: number ?? 15)
case "cancel": try await cancelAtRandom(number ?? 200_000)
case "cancel-real":
    try await cancelRealLoads(
        number ?? 100_000, at: arguments.dropFirst(2).first.flatMap { URL(string: $0) })
case "compare-real": try await compareReal(rounds: number ?? 15)
case "serve": try serveUntilInputEnds()
case "flight": try await manyInFlight(number ?? 10_000)
case "networks": try await manyNetworks(number ?? 200, requests: 50)
case "memory": try await memoryOfLoads(number ?? 100_000)
case "lifetime": try await lifetimeOfNetworks(number ?? 100_000)
case "classes": try await keptConfigurations(number ?? 10_000)
case "texts": try await timesOfTexts(rounds: number ?? 5)
case "stream-parsers": try timesOfStreamParsers(rounds: number ?? 15)
case "streams":
    try await costOfStreams(rounds: number ?? 15, part: arguments.dropFirst(2).first)
case "serve-bytes": try serveBytes()
case "read-bytes":
    let words = Array(arguments.dropFirst())
    guard words.count == 2, let url = URL(string: words[1]) else { fatalError("see streams") }
    try await readBytesOnce(words[0], url)
case "marks": try await cancellationMarks(number ?? 50_000)
case "uploads": try await compareUploads(mebibytes: number ?? 1_024)
case "cancel-uploads": try await cancelUploads(number ?? 2_000)
case "sink": try serveSink()
case "upload":
    let words = Array(arguments.dropFirst())
    guard words.count == 3, let url = URL(string: words[1]) else { fatalError("see uploads") }
    try await uploadOnce(words[0], to: url, URL(filePath: words[2]))
case "downloads": try await compareDownloads(mebibytes: number ?? 1_024)
case "kill-downloads": try await killDownloads(number ?? 1_000)
case "serve-file": try serveFile(mebibytes: number ?? 1_024)
case "download":
    let words = Array(arguments.dropFirst())
    guard words.count == 3, let url = URL(string: words[1]) else { fatalError("see downloads") }
    try await downloadOnce(words[0], url, to: URL(filePath: words[2]))
default:
    print(
        """
        usage: Benchmarks compare [rounds] | policies [rounds] | cancel [loads]
               | cancel-real [loads] [url] | compare-real [rounds] | serve | flight [requests]
               | networks [count] | memory [loads] | lifetime [networks] | classes [networks] | marks [requests]
               | texts [rounds] | stream-parsers [rounds] | streams [rounds] [part]
               | downloads [MiB] | kill-downloads [count]

        compare   ratios against bare URLSession and the talk's mock, as a table
        policies  what each policy costs an exchange, and all of them together
        cancel    loads with every third one cancelled at a random moment
        cancel-real  loads over real connections, each cancelled within 0.4 ms, to `serve` or to a URL
        compare-real  ratios of loads over real connections, against bare data tasks
        serve     a server for `cancel-real`, which prints its URL and ends with its input
        flight    requests in flight at once, each with a response after 1 s
        networks  networks in parallel on one URL, 50 requests each
        memory    loads with every third one cancelled: what is left of them
        lifetime  networks made and dropped, without and with a request: what is left of them
        classes   networks dropped, their configurations kept and used after as many new ones
        marks     whether wasCancelled is true for what was cancelled, and for nothing else
        uploads   a large file over the loopback, against tasks of Foundation and curl
        cancel-uploads  uploads cancelled at random moments: what is left of them
        downloads  a large file over the loopback, against a bare data delegate and curl
        kill-downloads  a downloading process, killed at random moments and started again
        texts     what it takes to describe 10 MB, and requests with very many parts
        stream-parsers  ns per byte of the parsers of streams, beside decoding the bytes as one String
        streams   latency, speed and memory of streams over real connections, against a bare delegate;
                  a part is piece, open, speed, slow, busy or cancel
        """)
}
