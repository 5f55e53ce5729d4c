import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited) struct AllFaultsTests {
    @Test func aSmallBodyIsCutAtEveryByte() {
        let faults = Fault.all(of: .json(#"{"a":1}"#))

        for count in 0..<7 { #expect(faults.contains(.truncated(toBytes: count))) }
        // Also after the whole body: a `Content-Length` that is too large.
        for count in 0...7 { #expect(faults.contains(.failing(afterBytes: count))) }
        #expect(Set(faults).count == faults.count)
        #expect(faults.contains(.wrongType(at: "$.a")))
        #expect(faults.contains(.null(at: "$.a")))
        #expect(Fault.errors.allSatisfy(faults.contains))
        #expect(Fault.errors.count == 18)
    }

    @Test func aBodyOf256BytesIsCutAtEveryByte() {
        let faults = Set(Fault.all(of: .text(String(repeating: "x", count: 256))))

        #expect((0..<256).allSatisfy { faults.contains(.truncated(toBytes: $0)) })
    }

    @Test func equallyFrequentOutcomesAreSortedByName() {
        let report = FaultReport(
            faults: [.slow, .hanging], results: [.slow: .value, .hanging: .error(.transport)])

        #expect("\(report)" == "2 faults: .transport 1, value 1")
    }

    @Test func aLargeBodyIsCutInSomePlaces() {
        let text = String(repeating: "x", count: 700) + "é" + String(repeating: "x", count: 700)
        let faults = Fault.all(of: .text(text))
        let cuts = (0..<1402).filter { faults.contains(.failing(afterBytes: $0)) }

        #expect(cuts.count <= 64 && cuts.count >= 60)
        #expect(zip(cuts, cuts.dropFirst()).allSatisfy { $1 - $0 <= 1402 / 60 + 1 })
        #expect(Set([0, 1, 701, 1401]).isSubset(of: cuts))
        #expect(Set(faults).count == faults.count)
    }

    @Test func manyValuesAreChangedInSomePlaces() {
        let faults = Fault.all(of: .json("[\((0..<500).map(String.init).joined(separator: ","))]"))

        #expect(faults.filter { "\($0)".hasPrefix("null at ") }.count == 64)
    }

    @Test func aRepeatedKeyIsOnePath() {
        let faults = Fault.all(of: .json(#"{"a":1,"a":2}"#))

        #expect(faults.filter { $0 == .null(at: "$.a") }.count == 1)
    }

    @Test func whatIsNotJSONHasNoWrongJSON() {
        let faults = Fault.all(of: .text("hello"))

        #expect(!faults.contains(.wrongType(at: "$")))
        #expect(faults.contains(.failing(afterBytes: 4)))
    }

    @Test func aResponseWithoutABodyHasFaultsToo() {
        let faults = Fault.all(of: .status(204))

        #expect(faults.contains(.hanging))
        #expect(faults.contains(.failing(afterBytes: 0)))
        #expect(!faults.contains(.truncated(toBytes: 0)))
        #expect(!faults.contains(.status(204)))
    }
}
