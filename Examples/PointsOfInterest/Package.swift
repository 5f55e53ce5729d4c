// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "PointsOfInterest",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "APIKitLite", path: "../..")],
    targets: [
        .target(
            name: "PointsOfInterest",
            dependencies: [.product(name: "APIKitLite", package: "APIKitLite")]),
        .target(
            name: "PlacesServer",
            dependencies: [
                "PointsOfInterest",
                .product(name: "APIKitLiteTesting", package: "APIKitLite"),
            ],
            resources: [.copy("places.json"), .copy("ATTRIBUTION.md")]),
        .executableTarget(name: "pois", dependencies: ["PointsOfInterest", "PlacesServer"]),
        .testTarget(
            name: "PointsOfInterestTests",
            dependencies: ["PointsOfInterest", "PlacesServer", "pois"],
            exclude: ["Recordings"]),
    ]
)
