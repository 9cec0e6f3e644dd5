// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "Lubdub", path: "..")],
    targets: [
        .target(name: "Adapters", dependencies: [.product(name: "LubdubDBus", package: "Lubdub")]),
        .target(name: "Battery", dependencies: [.product(name: "LubdubGATT", package: "Lubdub")]),
        .target(
            name: "BatteryPeripheral",
            dependencies: [
                "Battery", .product(name: "LubdubGATT", package: "Lubdub"),
                .product(name: "LubdubHost", package: "Lubdub"),
            ]),
        .target(name: "Measurement", dependencies: [.product(name: "LubdubCharacteristics", package: "Lubdub")]),
        .target(
            name: "Scanner",
            dependencies: [
                .product(name: "LubdubGATT", package: "Lubdub"), .product(name: "LubdubHost", package: "Lubdub"),
                .product(name: "LubdubVirtualRadio", package: "Lubdub"),
            ]),
        .executableTarget(
            name: "examples", dependencies: ["Adapters", "Battery", "BatteryPeripheral", "Measurement", "Scanner"]),
    ],
    swiftLanguageModes: [.v6]
)
