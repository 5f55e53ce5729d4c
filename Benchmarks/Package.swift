// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "APIKitLite", path: "..")],
    targets: [
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                .product(name: "APIKitLite", package: "APIKitLite"),
                .product(name: "APIKitLiteTesting", package: "APIKitLite"),
            ])
    ]
)
