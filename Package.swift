// swift-tools-version: 6.3
import Glibc
import PackageDescription

/// The building, floor by floor: a target may use those of lower floors only, and never its neighbours.
let floors: [[Target]] = [
    [
        library("Octets"), library("Spelling"), cLibrary("CCrypto", pkgConfig: "libcrypto"),
        cLibrary("CDBus", pkgConfig: "dbus-1"), cLibrary("CLinux"),
    ],
    [
        library("Arguments", on: "Spelling"),
        library("Bluetooth", on: "Octets", "Spelling"),
        library("Documents", on: "Spelling"),
        library("Simulation", on: "CLinux"),
    ],
    [
        library("Air", on: "Simulation"),
        library("ATT", on: "Octets", "Spelling", "Bluetooth", "Simulation"),
        library("Characteristics", on: "Octets", "Spelling", "Bluetooth"),
        library("Cryptography", on: "CCrypto"),
        library("DBus", on: "CDBus", "Spelling", "Simulation"),
        library("EventLog", on: "Octets", "Spelling", "Simulation", "Bluetooth"),
        library("HCI", on: "Octets", "Spelling", "Bluetooth"),
        library("L2CAP", on: "Octets", "Bluetooth"),
        library("LinkLayer", on: "Octets", "Simulation"),
        library("Sensors", on: "Simulation"),
        library("Sockets", on: "CLinux", "Spelling", "Simulation"),
        library("Statistics", on: "Simulation"),
    ],
    [
        library("GATT", on: "ATT", "Cryptography", "Octets", "Bluetooth", "Simulation"),
        library("VirtualController", on: "Octets", "Bluetooth", "Simulation", "Air", "HCI", "LinkLayer"),
    ],
    [
        library("LEHost", on: "HCI", "L2CAP", "ATT", "GATT", "Bluetooth", "Octets", "Simulation"),
        library(
            "Services", on: "Bluetooth", "Characteristics", "GATT", "Octets", "Sensors", "Simulation", "Spelling"),
    ],
    [
        library(
            "Peripheral", on: "Bluetooth", "Characteristics", "GATT", "Octets", "Sensors", "Services", "Simulation"),
        library(
            "Scenarios",
            on: "Documents", "EventLog", "GATT", "Sensors", "Services", "Spelling", "Bluetooth", "Simulation",
            "Characteristics"),
    ],
    [
        library(
            "BlueZ", on: "ATT", "Bluetooth", "DBus", "GATT", "HCI", "LEHost", "Octets", "Simulation", "Spelling"),
        library(
            "Collector",
            on: "Spelling", "LEHost", "GATT", "HCI", "Bluetooth", "Characteristics", "Octets", "Services", "Simulation",
            "Statistics"
        ),
        library("Expectations", on: "Bluetooth", "EventLog", "Scenarios", "Services", "Simulation", "Spelling"),
        library("Timeline", on: "EventLog", "Scenarios", "Simulation"),
    ],
    [
        library(
            "VirtualWorld",
            on: "Octets", "Spelling", "Bluetooth", "Simulation", "Air", "ATT", "Characteristics", "EventLog",
            "Expectations", "GATT", "HCI", "L2CAP", "LEHost", "Peripheral", "Scenarios", "Sensors", "Services",
            "Timeline", "VirtualController")
    ],
    [
        library(
            "Conformance",
            on: "Arguments", "Bluetooth", "Documents", "EventLog", "Expectations", "Scenarios", "Simulation",
            "Spelling"),
        library(
            "Checks",
            on: "ATT", "Bluetooth", "Characteristics", "Cryptography", "EventLog", "Expectations", "GATT", "HCI",
            "L2CAP", "LEHost", "Octets", "Scenarios", "Sensors", "Services", "Simulation", "Spelling", "VirtualWorld"),
    ],
    [
        library(
            "Reporting",
            on: "Arguments", "Bluetooth", "Conformance", "Documents", "EventLog", "Expectations", "Octets",
            "Simulation", "Spelling",
            embedding: "HTML/page.css"),
        library("Screen", on: "Simulation", "Spelling", "Statistics"),
    ],
    [
        library(
            "CommandLineTool",
            on: "CLinux", "Octets", "Spelling", "Arguments", "Bluetooth", "Characteristics", "Documents", "Simulation",
            "EventLog", "HCI", "BlueZ", "DBus", "Sockets", "ATT", "L2CAP", "GATT", "LEHost", "Peripheral", "Collector",
            "Conformance", "Checks", "Expectations", "Scenarios", "Sensors", "Services", "Statistics", "VirtualWorld",
            "Reporting", "Screen",
            embedding: "Bench/bumble.py")
    ],
    [program("lubdub", on: "CommandLineTool")],
    [
        testLibrary("EventLogs", on: "Bluetooth", "EventLog", "Scenarios", "Simulation"), testLibrary("Mutations"),
        testLibrary("TestBus", on: "Bluetooth", "DBus", "Simulation"),
    ],
    [
        tests("Air", on: "Simulation"),
        tests("Arguments"),
        tests("ATT", on: "Mutations", "Octets", "Bluetooth", "Simulation"),
        tests(
            "BlueZ", on: "TestBus", "ATT", "Bluetooth", "DBus", "GATT", "HCI", "LEHost", "Octets",
            "Simulation"),
        tests("Bluetooth", on: "Mutations", "Octets"),
        tests("Characteristics", on: "Mutations", "Octets", "Spelling", "Bluetooth"),
        tests(
            "Collector",
            on: "Spelling", "LEHost", "GATT", "ATT", "HCI", "Bluetooth", "Characteristics", "Octets", "Simulation"),
        tests(
            "CommandLineTool", on: "TestBus", "Arguments", "Bluetooth", "Characteristics", "Checks", "CLinux",
            "Collector",
            "Conformance", "DBus", "Documents", "EventLog", "Expectations", "Octets", "Scenarios", "Screen", "Sensors",
            "Services", "Simulation", "Spelling", "Statistics", "VirtualWorld"),
        tests(
            "Conformance",
            on: "Arguments", "Bluetooth", "Documents", "EventLog", "Expectations", "Scenarios", "Simulation",
            "Spelling"),
        tests(
            "Checks", on: "Bluetooth", "Documents", "Expectations", "HCI", "LEHost", "Octets", "Scenarios",
            "Simulation", "VirtualWorld"),
        tests("Cryptography"),
        tests("DBus", on: "TestBus", "CDBus", "Octets", "Simulation", "Sockets"),
        tests("Documents", on: "Mutations", "Spelling"),
        tests("EventLog", on: "Octets", "Spelling", "Simulation", "Bluetooth"),
        tests("Expectations", on: "Documents", "EventLog", "EventLogs", "Scenarios", "Simulation", "Spelling"),
        tests("GATT", on: "Mutations", "ATT", "Octets", "Bluetooth", "Simulation"),
        tests("HCI", on: "Mutations", "Octets", "Bluetooth"),
        tests("L2CAP", on: "Mutations", "Octets", "Bluetooth"),
        tests("LEHost", on: "Mutations", "HCI", "L2CAP", "ATT", "GATT", "Bluetooth", "Octets", "Simulation"),
        tests("LinkLayer", on: "Octets", "Simulation"),
        tests("Octets"),
        tests("Peripheral", on: "Bluetooth", "Characteristics", "GATT", "Octets", "Sensors", "Services", "Simulation"),
        tests(
            "Reporting",
            on: "Mutations", "Arguments", "Bluetooth", "Conformance", "Documents", "EventLog", "Expectations", "Octets",
            "Scenarios", "Simulation"),
        tests(
            "Scenarios",
            on: "Mutations", "Documents", "Bluetooth", "EventLog", "Sensors", "Services", "Simulation", "Spelling",
            excluding: "Broken", "Fixtures"),
        tests("Screen", on: "Simulation", "Statistics", excluding: "Screens"),
        tests("Sensors", on: "Simulation"),
        tests("Services", on: "Characteristics", "Documents", "GATT", "Sensors", "Simulation"),
        tests("Simulation", on: "CLinux"),
        tests("Timeline", on: "Bluetooth", "EventLog", "Scenarios", "Sensors", "Simulation"),
        tests(
            "VirtualController", on: "Mutations", "Air", "Bluetooth", "HCI", "LinkLayer", "Octets", "Simulation"),
        tests("Sockets", on: "Simulation"),
        tests("Spelling"),
        tests("Statistics", on: "Simulation"),
        tests(
            "VirtualWorld",
            on: "ATT", "Bluetooth", "Characteristics", "Collector", "Conformance", "Documents", "EventLog", "EventLogs",
            "Expectations", "GATT", "HCI", "LEHost", "Octets", "Reporting", "Scenarios", "Sensors", "Services",
            "Simulation", "Spelling", "VirtualController"),
        .testTarget(name: "TidyTests", swiftSettings: houseRules()),
    ],
]

/// The folders of `Sources`: what belongs together, whatever its floor.
func folders() -> [String: [String]] {
    [
        "Basics": [
            "Arguments", "CCrypto", "Cryptography", "Documents", "Octets", "Simulation", "Spelling", "Statistics",
        ],
        "Protocol": [
            "Air", "ATT", "Bluetooth", "Characteristics", "GATT", "HCI", "L2CAP", "LEHost", "LinkLayer",
            "VirtualController",
        ],
        "Devices": ["Peripheral", "Sensors", "Services"],
        "Client": ["Collector", "Screen"],
        "Scenario": ["EventLog", "Scenarios", "Timeline", "VirtualWorld"],
        "Verdicts": ["Checks", "Conformance", "Expectations", "Reporting"],
        "Linux": ["BlueZ", "CDBus", "CLinux", "DBus", "Sockets"],
        "Tool": ["CommandLineTool", "lubdub"],
    ]
}

/// Where the sources of a module are.
func path(of module: String) -> String {
    guard let folder = folders().first(where: { $0.value.contains(module) })?.key else {
        print("\(module) is in none of the folders of Sources: add it to folders() in Package.swift")
        exit(1)
    }
    return "Sources/\(folder)/\(module)"
}

let package = Package(name: "Lubdub", targets: checked(floors), swiftLanguageModes: [.v6])

/// `embedding`: files whose octets are constants of the module, by `PackageResources`.
func library(_ name: String, on lower: String..., embedding files: String...) -> Target {
    .target(
        name: name, dependencies: named(lower), path: path(of: name), resources: files.map { .embedInCode($0) },
        swiftSettings: houseRules())
}

func program(_ name: String, on lower: String...) -> Target {
    .executableTarget(name: name, dependencies: named(lower), path: path(of: name), swiftSettings: houseRules())
}

/// What tests of several modules share, in `Tests/<name>`.
func testLibrary(_ name: String, on lower: String...) -> Target {
    .target(name: name, dependencies: named(lower), path: "Tests/\(name)", swiftSettings: houseRules())
}

/// The tests of one module, in `Tests/<module>Tests`; what is not Swift there is excluded.
func tests(_ module: String, on lower: String..., excluding files: String...) -> Target {
    .testTarget(
        name: "\(module)Tests", dependencies: named([module] + lower), exclude: files, swiftSettings: houseRules())
}

func cLibrary(_ name: String, pkgConfig: String? = nil) -> Target {
    .systemLibrary(name: name, path: path(of: name), pkgConfig: pkgConfig)
}

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
