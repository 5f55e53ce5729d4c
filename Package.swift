// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "APIKitLite",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "APIKitLite", targets: ["APIKitLite"]),
        .library(name: "APIKitLiteTesting", targets: ["APIKitLiteTesting"]),
    ],
    targets: [
        .target(name: "APIKitLite"),
        .target(name: "APIKitLiteTesting", dependencies: ["APIKitLite"]),
        .testTarget(name: "RequestTests", dependencies: ["APIKitLite"]),
        .testTarget(
            name: "LoaderTests", dependencies: ["APIKitLite", "APIKitLiteTesting", "ClashingNames"]
        ),
        // The talk and what was written after it, in the language mode of their code. Everything
        // that sets `MockURLProtocol.requestHandler`, here and in the clients, is XCTest: its
        // tests run one after another, and never beside those of Swift Testing.
        .testTarget(
            name: "TalkTests", dependencies: ["APIKitLite", "APIKitLiteTesting"],
            resources: [.process("Coffees.json")],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // The names that a client may import twice, from here and from Alamofire.
        .target(name: "ClashingNames", path: "Tests/ClashingNames"),
        // Clients with the compiler settings that an app may have.
        .testTarget(
            name: "SwiftSixClient",
            dependencies: ["APIKitLite", "APIKitLiteTesting", "ClashingNames"]),
        .testTarget(
            name: "SwiftFiveClient",
            dependencies: ["APIKitLite", "APIKitLiteTesting", "ClashingNames"],
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
        .testTarget(
            name: "MainActorClient", dependencies: ["APIKitLite", "APIKitLiteTesting"],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "TalkTypesClient", dependencies: ["APIKitLiteTesting"],
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
    ]
)
