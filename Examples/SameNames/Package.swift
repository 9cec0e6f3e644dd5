// swift-tools-version: 6.3
import PackageDescription

/// The name that SwiftPM gives the package in the folder that contains `Examples`: that of the folder.
let lubdub = Context.packageDirectory.split(separator: "/").dropLast(2).last.map(String.init) ?? "Lubdub"

/// A package with modules that are named as some of Lubdub's: it gives Lubdub's other names.
let package = Package(
    name: "SameNames",
    dependencies: [.package(path: "../..")],
    targets: [
        .target(name: "Basics"),
        .target(name: "GATT"),
        .executableTarget(
            name: "SameNames",
            dependencies: [
                "Basics", "GATT",
                .product(
                    name: "LubdubGATT", package: lubdub,
                    moduleAliases: ["Basics": "LubdubBasics", "GATT": "LubdubGATT"]),
            ]),
    ]
)
