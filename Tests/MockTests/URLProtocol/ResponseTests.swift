import APIKitLiteTesting
import Testing

@Suite struct ResponseTests {
    @Test func haveTheStatus200() {
        #expect(HTTPURLResponse().statusCode == 200)
    }
}
