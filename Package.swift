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
        .testTarget(name: "LoaderTests", dependencies: ["APIKitLite", "APIKitLiteTesting"]),
        // Clients with the compiler settings that an app may have.
        .testTarget(
            name: "MainActorClient", dependencies: ["APIKitLite", "APIKitLiteTesting"],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
    ]
)
