// swift-tools-version: 6.2
import PackageDescription

// Apple's privacy manifest. Elsewhere, a resource would make a bundle and an accessor of it.
#if os(macOS)
let privacyManifest: (excluded: [String], resources: [Resource]) =
    ([], [.copy("PrivacyInfo.xcprivacy")])
#else
let privacyManifest: (excluded: [String], resources: [Resource]) = (["PrivacyInfo.xcprivacy"], [])
#endif

// The libraries compile with them, so that clients can enable them too.
let upcomingFeatures: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
]

// A compiler or an SDK that nobody has tried yet may have new warnings, which must not stop the
// tests.
#if os(Linux) && compiler(<6.4)
let noWarnings: [SwiftSetting] = [.treatAllWarnings(as: .error)]
#else
let noWarnings: [SwiftSetting] = []
#endif

// What Xcode 26 calls approachable concurrency.
let approachableConcurrency: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
    name: "APIKitLite",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "APIKitLite", targets: ["APIKitLite"]),
        .library(name: "APIKitLiteTesting", targets: ["APIKitLiteTesting"]),
    ],
    targets: [
        .target(
            name: "APIKitLite", exclude: privacyManifest.excluded,
            resources: privacyManifest.resources, swiftSettings: upcomingFeatures),
        .target(
            name: "APIKitLiteTesting", dependencies: ["APIKitLite"],
            swiftSettings: upcomingFeatures),

        // Pure functions: no session, no clock.
        .testTarget(
            name: "RequestTests", dependencies: ["APIKitLite", "TestSupport"],
            exclude: ["Diagnostics/Wordings.txt"]),
        // Loading end to end, through the mock and over a socket.
        .testTarget(
            name: "LoaderTests", dependencies: ["APIKitLite", "APIKitLiteTesting", "TestSupport"]),
        // The mock itself.
        .testTarget(
            name: "MockTests", dependencies: ["APIKitLite", "APIKitLiteTesting", "TestSupport"],
            exclude: ["Network/Wordings.txt", "Recordings/Recordings"]),
        // The samples of the README and of Docs, compiled and run.
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["APIKitLite", "APIKitLiteTesting", "TestSupport"],
            exclude: ["Recordings"]),
        .target(
            name: "TestSupport", dependencies: ["APIKitLite", "APIKitLiteTesting"],
            path: "Tests/TestSupport"),

        // The talk and what was written after it, in the language mode of their code. Everything
        // that sets `MockURLProtocol.requestHandler`, here and in the clients, is XCTest: its
        // tests run one after another, and never beside those of Swift Testing.
        .testTarget(
            name: "TalkTests", dependencies: ["APIKitLite", "APIKitLiteTesting", "TestSupport"],
            resources: [.process("Coffees.json")],
            swiftSettings: [.swiftLanguageMode(.v5)]),

        // Clients with the compiler settings that an app may have; the samples are one in the Swift 6
        // language mode. A file that several targets compile is a link.
        .testTarget(
            name: "SwiftFiveClient",
            dependencies: ["APIKitLite", "APIKitLiteTesting", "ClashingNames", "TestSupport"],
            path: "Tests/Clients/SwiftFive",
            swiftSettings: [.swiftLanguageMode(.v5)] + noWarnings),
        .testTarget(
            name: "MainActorClient",
            dependencies: ["APIKitLite", "APIKitLiteTesting", "TestSupport"],
            path: "Tests/Clients/MainActor",
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        // A new app of Xcode 26, whose default isolation is the main actor, and its unit tests, whose
        // default is none.
        .target(
            name: "NewApp", dependencies: ["APIKitLite"], path: "Tests/Clients/NewApp",
            swiftSettings: [.defaultIsolation(MainActor.self)] + approachableConcurrency
                + noWarnings),
        .testTarget(
            name: "NewAppTests",
            dependencies: ["NewApp", "APIKitLite", "APIKitLiteTesting", "TestSupport"],
            path: "Tests/Clients/NewAppTests",
            swiftSettings: approachableConcurrency + noWarnings),
        // An app that has the talk's types itself, and takes the mock only.
        .testTarget(
            name: "TalkTypesClient", dependencies: ["APIKitLiteTesting", "TestSupport"],
            path: "Tests/Clients/TalkTypes",
            swiftSettings: [.swiftLanguageMode(.v5)] + noWarnings),
        // The names that a client may import twice, from here and from Alamofire.
        .target(name: "ClashingNames", path: "Tests/Clients/ClashingNames"),
    ]
)

// With `APIKITLITE_TESTS=LoaderTests,MockTests`, SwiftPM compiles only these test targets.
if let names = Context.environment["APIKITLITE_TESTS"]?.split(separator: ",") {
    package.targets.removeAll { $0.isTest && !names.contains(Substring($0.name)) }
}
