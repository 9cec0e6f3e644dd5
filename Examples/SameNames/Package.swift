// swift-tools-version: 6.3
import PackageDescription

/// A package with modules that are named as some of Lubdub's: it gives Lubdub's other names.
let package = Package(
    name: "SameNames",
    // make examples links it to the root of the repository.
    dependencies: [.package(path: "../../.build/Lubdub")],
    targets: [
        .target(name: "Basics"),
        .target(name: "GATT"),
        .executableTarget(
            name: "SameNames",
            dependencies: [
                "Basics", "GATT",
                .product(
                    name: "LubdubGATT", package: "Lubdub",
                    moduleAliases: ["Basics": "LubdubBasics", "GATT": "LubdubGATT"]),
            ]),
    ]
)
