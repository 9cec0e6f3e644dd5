// swift-tools-version: 6.3
import Glibc
import PackageDescription

/// The building, floor by floor: a target may use those of lower floors only, and never its neighbours.
let floors: [[Target]] = [
    [library("Octets"), library("Spelling"), cLibrary("CLinux")],
    [
        library("Simulation", on: "CLinux"),
        library("Bluetooth", on: "Octets"),
        library("Documents", on: "Spelling"),
    ],
    [
        library("Scenarios", on: "Documents", "Spelling", "Bluetooth", "Simulation")
    ],
    [
        tests("Documents"),
        tests("Scenarios", on: "Documents", "Bluetooth", excluding: "Fixtures"),
        tests("Octets"),
        tests("Simulation", on: "CLinux"),
    ],
]

let package = Package(name: "Lubdub", targets: checked(floors), swiftLanguageModes: [.v6])

func library(_ name: String, on lower: String...) -> Target {
    .target(name: name, dependencies: named(lower), swiftSettings: houseRules())
}

func program(_ name: String, on lower: String...) -> Target {
    .executableTarget(name: name, dependencies: named(lower), swiftSettings: houseRules())
}

/// The tests of one module, in `Tests/<module>Tests`.
/// Its folders named `excluded` hold files that it reads by itself.
func tests(_ module: String, on lower: String..., excluding excluded: String...) -> Target {
    .testTarget(
        name: "\(module)Tests", dependencies: named([module] + lower), exclude: excluded, swiftSettings: houseRules())
}

func cLibrary(_ name: String, pkgConfig: String? = nil) -> Target { .systemLibrary(name: name, pkgConfig: pkgConfig) }

func named(_ targets: [String]) -> [Target.Dependency] { targets.map { .target(name: $0) } }

func houseRules() -> [SwiftSetting] {
    [
        .treatAllWarnings(as: .error),
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}

/// The targets of all floors; ends the build with the name of one that reaches upwards or sideways.
func checked(_ floors: [[Target]]) -> [Target] {
    var lower: Set<String> = []
    for floor in floors {
        for target in floor {
            for case .targetItem(let name, _) in target.dependencies where !lower.contains(name) {
                print("\(target.name) uses \(name), which is not on a lower floor")
                exit(1)
            }
        }
        lower.formUnion(floor.map(\.name))
    }
    return floors.flatMap { $0 }
}
