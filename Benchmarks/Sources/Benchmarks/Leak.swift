import APIKitLite
import APIKitLiteTesting
import Foundation

func probe(_ which: String) async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [TalkURLProtocol.self]
    let talk = URLSession(configuration: configuration)
    TalkURLProtocol.requestHandler = { (Fixture.response(to: $0), Fixture.json) }
    let overTalk = APIRequestLoader(apiRequest: PlacesRequest(), urlSession: talk)
    for _ in 0..<2000 {
        switch which {
        case "loader": _ = try await overTalk.load("x")
        case "exchange": _ = try await talk.exchange(Fixture.request)
        case "data": _ = try await bareLoad(talk, Fixture.request)
        default:
            _ = try JSONDecoder().decode(
                [Place].self,
                from: try await bareLoad(talk, try PlacesRequest().makeRequest(from: "x")))
        }
    }
}
