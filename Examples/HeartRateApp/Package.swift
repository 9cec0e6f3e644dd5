// swift-tools-version: 6.2
import PackageDescription

/// On Linux, `import CoreBluetooth` means Lubdub's module; on Apple's platforms, the framework.
let coreBluetooth = Target.Dependency.product(
    name: "CoreBluetooth", package: "Lubdub", condition: .when(platforms: [.linux]))
/// Apple's logging, likewise.
let os = Target.Dependency.product(name: "os", package: "Lubdub", condition: .when(platforms: [.linux]))
let lubdubTesting = Target.Dependency.product(
    name: "LubdubTesting", package: "Lubdub", condition: .when(platforms: [.linux]))

let package = Package(
    name: "HeartRateApp", platforms: [.iOS(.v18), .macOS(.v15)],
    products: [.library(name: "HeartRate", targets: ["HeartRate"])],
    dependencies: [.package(name: "Lubdub", path: "../..")],
    targets: [
        .target(name: "HeartRate", dependencies: [coreBluetooth]),
        .target(name: "HeartRateSensor", dependencies: [coreBluetooth, os]),
        .target(name: "BuggyHeartRate", dependencies: ["HeartRate", "HeartRateSensor", coreBluetooth]),
        .executableTarget(name: "heart-rate-client", dependencies: ["HeartRate", "BuggyHeartRate"]),
        .executableTarget(name: "heart-rate-sensor", dependencies: ["HeartRateSensor", "BuggyHeartRate"]),
        .testTarget(
            name: "HeartRateTests",
            dependencies: ["HeartRate", "HeartRateSensor", "BuggyHeartRate", coreBluetooth, lubdubTesting]),
    ],
    swiftLanguageModes: [.v5])
