import APIKitLiteTesting
import Testing

@Suite struct ResponseTests {
    private let url = URL(string: "https://api.example.com/a")!

    @Test func haveTheStatus200() {
        let responses = [
            HTTPURLResponse(),
            HTTPURLResponse(
                url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil),
        ]

        #expect(responses.map(\.statusCode) == [200, 200])
    }

    @Test(arguments: [nil, "utf-8"])
    func haveTheirValues(_ encoding: String?) {
        let response = HTTPURLResponse(
            url: url, mimeType: "text/plain", expectedContentLength: 3, textEncodingName: encoding)

        #expect(response.url == url)
        #expect(response.mimeType == "text/plain")
        #expect(response.expectedContentLength == 3)
        #expect(response.textEncodingName == encoding)
    }
}
