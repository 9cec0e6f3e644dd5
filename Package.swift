// swift-tools-version: 6.3
import PackageDescription

// Apps for Apple's platforms read this file on a Mac, too, although they use its products on Linux only.
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Whether `make fuzz` builds its program.
let isFuzzing = Context.environment["LUBDUB_FUZZ"] != nil

/// Whether a debug build optimizes what plays scenarios, so that tests take a tenth of the time; assertions stay.
///
/// A package that depends on this one may not have the flags. `LUBDUB_UNOPTIMIZED=1` is for debuggers.
let isOptimizing =
    !Context.packageDirectory.contains("/checkouts/") && Context.environment["LUBDUB_UNOPTIMIZED"] == nil

/// The modules, layer by layer: a target may use those of lower layers only, and never its neighbours.
let layers: [[Target]] = [
    isFuzzing ? [.systemLibrary(name: "CFuzzer", path: "Tests/FuzzingTests/CFuzzer")] : [],
    [
        library("Octets"), library("TextFormatting"),
        library(
            "Templates",
            embedding: "Files/strap.json", "Files/thermometer.json", "Files/fitness.json", "Files/ecg.json",
            "Files/custom.json", "Files/suite.json", "Files/bumble_client.py", "Files/bleak_client.py"),
        cLibrary("CCrypto", pkgConfig: "libcrypto"),
        cLibrary("CBluetooth"), cLibrary("COSLog"), cLibrary("CDBus", pkgConfig: "dbus-1"), cLibrary("CLinux"),
        .target(name: "CProgram", path: path(of: "CProgram")),
    ],
    [
        library("Arguments", on: "TextFormatting"),
        library("Bluetooth", on: "Octets", "TextFormatting"),
        library("Cryptography", on: "CCrypto"),
        library("Documents", on: "TextFormatting"),
        library("Simulation", on: "CLinux"),
    ],
    [
        library("ATT", on: "Octets", "TextFormatting", "Bluetooth", "Simulation"),
        library("Characteristics", on: "Octets", "TextFormatting", "Bluetooth"),
        library("DBus", on: "CDBus", "TextFormatting", "Simulation"),
        library("HCI", on: "Octets", "TextFormatting", "Bluetooth"),
        library("L2CAP", on: "Octets", "Bluetooth"),
        library("Sensors", on: "Simulation"),
        library("Sockets", on: "CLinux", "TextFormatting", "Simulation"),
        library("Statistics", on: "Simulation"),
    ],
    [
        library("HCITransport", on: "HCI", "Sockets"),
        library("HTTP", on: "Simulation", "Sockets"),
        library("GATT", on: "ATT", "Cryptography", "Octets", "Bluetooth", "Simulation"),
        library("SecurityManager", on: "Bluetooth", "Cryptography", "Octets", "Simulation"),
        library(
            "CommandSupport",
            on: "Arguments", "Bluetooth", "CLinux", "CProgram", "Simulation", "Sockets", "TextFormatting"),
        library("VirtualRadio", on: "Bluetooth", "Cryptography", "HCI", "Octets", "Simulation"),
    ],
    [
        library(
            "KernelBluetooth",
            on: "Arguments", "CBluetooth", "CLinux", "CommandSupport", "HCITransport", "Octets", "Simulation",
            "Sockets",
            "TextFormatting"),
        library(
            "LEHost", on: "HCI", "L2CAP", "ATT", "GATT", "Bluetooth", "Octets", "SecurityManager", "Simulation"),
        library(
            "Devices",
            on: "Bluetooth", "Characteristics", "Documents", "GATT", "Octets", "Sensors", "Simulation",
            "TextFormatting"),
    ],
    [
        library(
            "AppleBluetooth",
            on: "ATT", "Bluetooth", "Characteristics", "GATT", "HCI", "LEHost", "Octets", "SecurityManager",
            "Simulation", "TextFormatting"
        )
    ],
    [
        appleLibrary(
            "CoreBluetooth",
            on: "ATT", "AppleBluetooth", "Bluetooth", "GATT", "HCI", "HCITransport", "LEHost", "SecurityManager",
            "Simulation", "Sockets"),
        .target(name: "CVirtualTime", path: path(of: "CVirtualTime")),
        library("os", on: "COSLog"),
    ],
    [
        library(
            "Services",
            on: "Bluetooth", "Characteristics", "Devices", "Documents", "GATT", "Octets", "Sensors", "Simulation",
            "TextFormatting")
    ],
    [
        library(
            "ScenarioModel",
            on: "Bluetooth", "Characteristics", "Devices", "Documents", "GATT", "Octets", "SecurityManager",
            "Sensors", "Services", "Simulation", "TextFormatting")
    ],
    libraries() + [
        library(
            "ScenarioLanguage",
            on: "Bluetooth", "Characteristics", "Devices", "Documents", "GATT", "ScenarioModel", "SecurityManager",
            "Sensors", "Services", "Simulation", "Statistics", "TextFormatting")
    ],
    [
        library(
            "BlueZ", on: "ATT", "Bluetooth", "DBus", "GATT", "HCI", "LEHost", "Octets", "Simulation", "TextFormatting"),
        library(
            "Collector",
            on: "Bluetooth", "Characteristics", "Devices", "GATT", "HCI", "LEHost", "Octets", "SecurityManager",
            "Services", "Simulation", "Statistics", "TextFormatting"),
        library(
            "Expectations",
            on: "Bluetooth", "Devices", "ScenarioModel", "Services", "Simulation", "TextFormatting"),
        library(
            "DeviceRecording",
            on: "ATT", "Bluetooth", "Devices", "Documents", "GATT", "HCI", "L2CAP", "LEHost", "Octets",
            "ScenarioLanguage", "ScenarioModel", "Services", "Simulation", "TextFormatting"),
        library(
            "ScenarioReference",
            on: "Bluetooth", "Characteristics", "Devices", "Documents", "GATT", "ScenarioLanguage", "ScenarioModel",
            "Services", "Simulation", "TextFormatting"),
    ],
    [
        library(
            "VirtualWorld",
            on: "ATT", "Bluetooth", "Characteristics", "Cryptography", "Devices", "Expectations", "GATT", "HCI",
            "L2CAP", "LEHost", "Octets", "ScenarioLanguage", "ScenarioModel", "SecurityManager", "Sensors",
            "Services", "Simulation", "TextFormatting", "VirtualRadio"),
        library(
            "Terminal",
            on: "BlueZ", "Characteristics", "Collector", "CommandSupport", "Devices", "Documents", "Services",
            "Simulation", "Statistics", "TextFormatting"),
    ],
    [
        library(
            "Drivers",
            on: "Arguments", "Bluetooth", "BlueZ", "Collector", "CommandSupport", "DBus", "Devices", "Documents",
            "Expectations", "GATT", "HCI", "HCITransport", "KernelBluetooth", "LEHost", "Octets", "ScenarioLanguage",
            "ScenarioModel", "SecurityManager", "Simulation", "Sockets", "TextFormatting", "VirtualWorld"),
        library(
            "FaultyClients",
            on: "ATT", "Bluetooth", "Characteristics", "Collector", "Devices", "GATT", "HCI", "LEHost", "Octets",
            "SecurityManager", "Services", "Simulation", "VirtualWorld"),
        library(
            "Conformance",
            on: "Arguments", "Bluetooth", "Documents", "Expectations", "ScenarioLanguage", "ScenarioModel",
            "Simulation", "TextFormatting"),
        library(
            "Checks",
            on: "ATT", "Bluetooth", "Cryptography", "Devices", "Expectations", "GATT", "HCI", "L2CAP", "LEHost",
            "Octets", "ScenarioModel", "SecurityManager", "Sensors", "Services", "Simulation", "TextFormatting",
            "VirtualWorld"),
    ],
    [
        appleLibrary("CoreBluetoothMock", on: "CoreBluetooth"),
        appleLibrary(
            "LubdubTesting",
            on: "AppleBluetooth", "Bluetooth", "Conformance", "CoreBluetooth", "CVirtualTime", "Devices", "Documents",
            "Expectations", "HCI", "LEHost", "Octets", "ScenarioLanguage", "ScenarioModel", "SecurityManager",
            "Simulation", "TextFormatting", "VirtualWorld"),
        library(
            "Reporting",
            on: "Arguments", "Bluetooth", "CommandSupport", "Conformance", "Documents", "Expectations", "Octets",
            "ScenarioModel", "Simulation", "TextFormatting",
            embedding: "HTML/page.css"),
    ],
    [
        library(
            "CheckCatalogue",
            on: "ATT", "Bluetooth", "Characteristics", "Checks", "Cryptography", "Devices", "GATT", "HCI", "LEHost",
            "Octets", "SecurityManager", "Services", "Simulation", "TextFormatting"),
        library(
            "ScenarioRuns",
            on: "Arguments", "ATT", "Bluetooth", "Characteristics", "Collector", "CommandSupport", "Conformance",
            "Devices", "Documents", "Expectations", "FaultyClients", "GATT", "HCI", "L2CAP", "LEHost", "Octets",
            "Reporting", "ScenarioLanguage", "ScenarioModel", "Services", "Simulation", "Sockets", "TextFormatting",
            "VirtualWorld"),
        library(
            "Doctor",
            on: "Arguments", "BlueZ", "Bluetooth", "CommandSupport", "DBus", "KernelBluetooth", "Simulation", "Sockets",
            "TextFormatting"),
    ],
    [
        library(
            "Replay",
            on: "CommandSupport", "Documents", "ScenarioLanguage", "ScenarioModel", "ScenarioRuns", "Simulation",
            "TextFormatting")
    ],
    [
        library(
            "PeripheralTesting",
            on: "Arguments", "Bluetooth", "Checks", "CommandSupport", "Conformance", "DBus", "Documents", "Drivers",
            "Expectations", "GATT", "LEHost", "Octets", "Reporting", "ScenarioModel", "ScenarioRuns",
            "SecurityManager", "Simulation", "Sockets", "Terminal", "TextFormatting", "VirtualWorld",
            embedding: "known-deviations.json"),
        library(
            "ClientTesting",
            on: "Arguments", "Bluetooth", "CLinux", "Collector", "CommandSupport", "Conformance", "Devices",
            "Documents", "Drivers", "Expectations", "FaultyClients", "HCI", "Reporting", "ScenarioLanguage",
            "ScenarioModel", "ScenarioRuns", "Services", "Simulation", "Sockets", "Terminal", "TextFormatting",
            "VirtualWorld"),
        library(
            "Control",
            on: "Arguments", "CommandSupport", "Devices", "Documents", "Drivers", "ScenarioLanguage", "ScenarioModel",
            "ScenarioRuns", "Sensors", "Services", "Simulation", "Sockets", "Terminal", "TextFormatting",
            "VirtualWorld"),
    ],
    [
        library(
            "Benchmarks",
            on: "Arguments", "Bluetooth", "Characteristics", "ClientTesting", "Collector", "CommandSupport",
            "Conformance", "Devices", "Documents", "Drivers", "Expectations", "GATT", "HCI", "LEHost", "Octets",
            "Reporting", "ScenarioLanguage", "ScenarioModel", "ScenarioRuns", "Services", "Simulation", "Sockets",
            "TextFormatting", "VirtualWorld",
            embedding: "bumble.py"),
        library(
            "LivePage",
            on: "Arguments", "Bluetooth", "CommandSupport", "Control", "Devices", "Documents", "Drivers", "HTTP",
            "ScenarioLanguage", "ScenarioModel", "ScenarioReference", "ScenarioRuns", "Simulation", "Sockets",
            "TextFormatting", "VirtualWorld",
            embedding: "page.html"),
    ],
    [
        library(
            "CommandLineTool",
            on: "Arguments", "Benchmarks", "Bluetooth", "CheckCatalogue", "Checks", "ClientTesting", "Collector",
            "CommandSupport", "Conformance", "Control", "DeviceRecording", "Devices", "Doctor", "Documents",
            "Drivers", "FaultyClients", "KernelBluetooth", "LivePage", "PeripheralTesting", "Replay", "Reporting",
            "ScenarioLanguage", "ScenarioModel", "ScenarioReference", "ScenarioRuns", "Services", "Simulation",
            "Sockets", "Statistics", "Templates", "Terminal", "TextFormatting", "VirtualWorld")
    ],
    [program("lubdub", on: "CommandLineTool", "CommandSupport")],
    [
        example("Adapters", on: "LubdubDBus"), example("Battery", on: "LubdubGATT"),
        example("Measurement", on: "LubdubCharacteristics"),
        example("Scanner", on: "LubdubGATT", "LubdubHost", "LubdubVirtualRadio"),
    ],
    [example("BatteryPeripheral", on: "Battery", "LubdubGATT", "LubdubHost")],
    [
        testLibrary("EventLogs", on: "Bluetooth", "ScenarioModel", "Simulation"), testLibrary("Fuzzing"),
        testLibrary("Mutations"),
        testLibrary("TestBus", on: "Bluetooth", "DBus", "Simulation"),
    ],
    isFuzzing
        ? [
            .target(
                name: "FuzzDriver", dependencies: named(["CFuzzer", "Fuzzing"]), path: "Tests/FuzzingTests/Driver",
                swiftSettings: houseRules())
        ] : [],
    [
        tests("VirtualRadio", on: "Bluetooth", "Cryptography", "HCI", "Mutations", "Octets", "Simulation"),
        tests("AppleBluetooth", on: "Bluetooth", "GATT", "HCI", "LEHost", "Octets", "Simulation"),
        tests("Arguments"),
        tests("ATT", on: "Mutations", "Octets", "Bluetooth", "Simulation"),
        tests(
            "BlueZ", on: "TestBus", "ATT", "Bluetooth", "DBus", "GATT", "HCI", "LEHost", "Octets",
            "Simulation"),
        tests("Bluetooth", on: "Mutations", "Octets"),
        tests("Characteristics", on: "Mutations", "Octets", "TextFormatting", "Bluetooth"),
        tests(
            "ClientTesting",
            on: "Arguments", "CommandLineTool", "CommandSupport", "Conformance", "Documents", "Drivers",
            "Expectations", "FaultyClients", "HCI", "LEHost", "ScenarioLanguage", "ScenarioModel", "ScenarioRuns",
            "Simulation", "Terminal", "TextFormatting", "VirtualWorld"),
        tests(
            "Collector",
            on: "TextFormatting", "LEHost", "GATT", "ATT", "HCI", "Bluetooth", "Characteristics", "Octets",
            "SecurityManager", "Simulation"
        ),
        tests(
            "CommandLineTool",
            on: "Arguments", "Bluetooth", "Characteristics", "Collector", "CommandSupport", "ScenarioLanguage",
            "ScenarioModel", "ScenarioRuns", "Templates"),
        tests(
            "Conformance",
            on: "Arguments", "Bluetooth", "Documents", "Expectations", "ScenarioLanguage", "ScenarioModel",
            "Simulation", "TextFormatting"),
        tests(
            "Checks",
            on: "Bluetooth", "CheckCatalogue", "Devices", "Documents", "Expectations", "HCI", "LEHost", "Octets",
            "ScenarioLanguage", "ScenarioModel", "Services", "Simulation", "VirtualWorld"),
        tests(
            "Control",
            on: "Arguments", "CommandSupport", "Drivers", "ScenarioModel", "Sensors", "Simulation", "Terminal",
            "TextFormatting", "VirtualWorld"),
        appleTests("CoreBluetooth", on: "CoreBluetoothMock", "LubdubTesting", "Sockets"),
        tests("CommandSupport", on: "Arguments", "CLinux", "Simulation"),
        tests("Cryptography"),
        tests("DBus", on: "TestBus", "CDBus", "Octets", "Simulation", "Sockets"),
        tests("Doctor", on: "Arguments", "CommandSupport", "KernelBluetooth"),
        tests(
            "Drivers",
            on: "Arguments", "Bluetooth", "Collector", "CommandSupport", "Expectations", "GATT", "HCI",
            "HCITransport", "LEHost", "Mutations", "Octets", "ScenarioLanguage", "ScenarioModel", "SecurityManager",
            "Simulation", "Sockets", "VirtualWorld"),
        tests("Documents", on: "Mutations", "TextFormatting"),
        tests(
            "Expectations",
            on: "Documents", "EventLogs", "ScenarioLanguage", "ScenarioModel", "Simulation", "TextFormatting"),
        tests("GATT", on: "Mutations", "ATT", "Octets", "Bluetooth", "Simulation"),
        tests("HCI", on: "Mutations", "Octets", "Bluetooth"),
        tests("HCITransport", on: "HCI", "Octets", "Simulation", "Sockets"),
        tests("HTTP", on: "Simulation", "Sockets"),
        tests("L2CAP", on: "Mutations", "Octets", "Bluetooth"),
        tests(
            "LEHost",
            on: "ATT", "Bluetooth", "GATT", "HCI", "L2CAP", "Mutations", "Octets", "SecurityManager", "Simulation",
            "VirtualRadio"),
        tests("KernelBluetooth", on: "CommandSupport", "Mutations", "Octets"),
        tests(
            "LivePage",
            on: "Arguments", "Bluetooth", "CommandSupport", "Documents", "HTTP", "ScenarioLanguage", "ScenarioModel",
            "ScenarioReference", "Simulation", "TextFormatting", "VirtualWorld"),
        tests("Octets"), tests("os"),
        tests("Devices", on: "Bluetooth", "Characteristics", "GATT", "Octets", "Sensors", "Services", "Simulation"),
        tests(
            "Replay",
            on: "CommandSupport", "Documents", "ScenarioLanguage", "ScenarioModel", "ScenarioRuns", "Sensors",
            "Simulation", "TextFormatting", "VirtualWorld"),
        tests(
            "PeripheralTesting", on: "TestBus", "Arguments", "Bluetooth", "CheckCatalogue", "Checks", "CLinux",
            "CommandLineTool", "CommandSupport", "Conformance", "DBus", "Expectations", "Reporting", "ScenarioRuns",
            "Simulation"),
        tests(
            "Reporting",
            on: "Arguments", "Bluetooth", "CommandSupport", "Conformance", "Documents", "Expectations", "Mutations",
            "Octets", "ScenarioLanguage", "ScenarioModel", "Simulation"),
        tests(
            "ScenarioRuns",
            on: "Arguments", "Bluetooth", "Characteristics", "Collector", "CommandSupport", "Conformance",
            "Documents", "Expectations", "HCI", "Octets", "Reporting", "ScenarioLanguage", "ScenarioModel",
            "Simulation", "TextFormatting"),
        tests(
            "ScenarioLanguage",
            on: "Bluetooth", "Devices", "Documents", "Mutations", "ScenarioModel", "Sensors", "Services",
            "Simulation", "TextFormatting",
            excluding: "Broken", "Fixtures", "Mistakes.txt"),
        tests(
            "ScenarioReference",
            on: "Devices", "Documents", "ScenarioLanguage", "ScenarioModel", "Services", "TextFormatting"),
        tests("ScenarioModel", on: "Bluetooth", "Octets", "Simulation", "TextFormatting"),
        tests(
            "Terminal", on: "Bluetooth", "Characteristics", "Collector", "CommandSupport", "Simulation", "Statistics",
            excluding: "Screens"),
        tests(
            "SecurityManager", on: "Mutations", "Bluetooth", "Cryptography", "Octets", "Simulation",
            excluding: "pairings.txt"),
        tests("Sensors", on: "Simulation"),
        tests("Services", on: "Bluetooth", "Characteristics", "Documents", "GATT", "Octets", "Sensors", "Simulation"),
        tests("Simulation", on: "CLinux"),
        tests(
            "DeviceRecording",
            on: "ATT", "Bluetooth", "Checks", "Devices", "Documents", "GATT", "HCI", "ScenarioLanguage",
            "ScenarioModel", "Simulation", "TextFormatting", "VirtualWorld"),
        tests("Sockets", on: "Simulation"),
        tests("TextFormatting"),
        tests("Statistics", on: "Simulation"),
        tests(
            "VirtualWorld",
            on: "ATT", "Bluetooth", "Characteristics", "Collector", "Conformance", "Devices", "Documents",
            "EventLogs", "Expectations", "FaultyClients", "GATT", "HCI", "LEHost", "Octets", "Reporting",
            "ScenarioLanguage", "ScenarioModel", "Sensors", "Services", "Simulation", "TextFormatting", "VirtualRadio"),
        .testTarget(
            name: "ExamplesTests",
            dependencies: named(
                (["Adapters", "Battery", "BatteryPeripheral", "Measurement", "Scanner", "TestBus"]
                    + libraries().flatMap { [$0.name] + modules(below: $0) }).uniqued),
            swiftSettings: houseRules()),
        .testTarget(name: "TidyTests", swiftSettings: houseRules()),
    ] + fuzzing(),
]

/// The libraries for other packages: each re-exports the modules below it, which can be imported one by one, too.
func libraries() -> [Target] {
    [
        library("LubdubCharacteristics", on: "Bluetooth", "Characteristics", "Octets", "TextFormatting"),
        library("LubdubDBus", on: "DBus", "Simulation"),
        library("LubdubGATT", on: "ATT", "Bluetooth", "Cryptography", "GATT", "L2CAP", "Octets", "Simulation"),
        library(
            "LubdubHost",
            on: "ATT", "Bluetooth", "Cryptography", "GATT", "HCI", "HCITransport", "L2CAP", "LEHost", "Octets",
            "SecurityManager", "Simulation", "Sockets"),
        library("LubdubVirtualRadio", on: "Bluetooth", "Cryptography", "HCI", "Octets", "Simulation", "VirtualRadio"),
    ]
}

/// One product per library, and those for apps that use Apple's CoreBluetooth.
func products() -> [Product] {
    libraries().map { .library(name: $0.name, targets: [$0.name] + modules(below: $0)) }
        + ["CoreBluetooth", "CoreBluetoothMock", "LubdubTesting", "os"].map { .library(name: $0, targets: [$0]) }
}

/// The names of the modules that a target depends on.
func modules(below target: Target) -> [String] {
    target.dependencies.compactMap { dependency in
        if case .targetItem(let name, _) = dependency { name } else { nil }
    }
}

/// The folders of `Sources`: what belongs together, whatever its layer.
func folders() -> [String: [String]] {
    [
        "Apple": [
            "AppleBluetooth", "COSLog", "CoreBluetooth", "CoreBluetoothMock", "CVirtualTime", "LubdubTesting", "os",
        ],
        "Basics": [
            "Arguments", "CCrypto", "Cryptography", "Documents", "Octets", "Simulation", "TextFormatting", "Statistics",
        ],
        "Protocol": [
            "ATT", "Bluetooth", "Characteristics", "GATT", "HCI", "L2CAP", "LEHost", "SecurityManager", "VirtualRadio",
        ],
        "Libraries": [
            "LubdubCharacteristics", "LubdubDBus", "LubdubGATT", "LubdubHost", "LubdubVirtualRadio",
        ],
        "Devices": ["Devices", "Sensors", "Services"],
        "Client": ["Collector"],
        "Scenario": ["DeviceRecording", "ScenarioLanguage", "ScenarioModel", "ScenarioReference", "VirtualWorld"],
        "Verdicts": [
            "CheckCatalogue", "Checks", "ClientTesting", "Conformance", "Expectations", "FaultyClients",
            "PeripheralTesting", "Reporting",
        ],
        "Linux": [
            "BlueZ", "CBluetooth", "CDBus", "CLinux", "CProgram", "DBus", "Drivers", "HCITransport",
            "HTTP", "KernelBluetooth", "Sockets",
        ],
        "Tool": [
            "Benchmarks", "CommandLineTool", "CommandSupport", "Control", "Doctor", "LivePage", "Replay",
            "ScenarioRuns",
            "Templates",
            "Terminal",
            "lubdub",
        ],
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

let package = Package(
    name: "Lubdub", products: products(), targets: checked(layers), swiftLanguageModes: [.v6])

/// `embedding`: files whose octets are constants of the module, by `PackageResources`.
func library(_ name: String, on lower: String..., embedding files: String...) -> Target {
    .target(
        name: name, dependencies: named(lower), path: path(of: name), resources: files.map { .embedInCode($0) },
        swiftSettings: houseRules() + optimization(of: name))
}

/// In debug builds, the optimizer for the folders that play scenarios.
func optimization(of module: String) -> [SwiftSetting] {
    let isPlaying = ["Basics", "Protocol", "Devices", "Client", "Scenario", "Verdicts"].contains { folder in
        path(of: module).hasPrefix("Sources/\(folder)/")
    }
    guard isOptimizing, isPlaying else { return [] }
    return [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]
}

/// A module whose declarations are Apple's, with classes that are not Sendable: Swift 5, which does not check that.
func appleLibrary(_ name: String, on lower: String...) -> Target {
    .target(
        name: name, dependencies: named(lower), path: path(of: name),
        swiftSettings: houseRules() + [.swiftLanguageMode(.v5)])
}

func program(_ name: String, on lower: String...) -> Target {
    .executableTarget(name: name, dependencies: named(lower), path: path(of: name), swiftSettings: houseRules())
}

/// An example for other packages, in `Examples`, which builds it with their settings.
///
/// It depends on the modules of its libraries, too: SwiftPM does not rebuild it when only a re-exported module changes.
func example(_ name: String, on lower: String...) -> Target {
    let reexported = libraries().filter { lower.contains($0.name) }.flatMap(modules)
    return .target(
        name: name, dependencies: named((lower + reexported).uniqued), path: "Examples/Sources/\(name)",
        swiftSettings: [.treatAllWarnings(as: .error)])
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

/// The tests of a module of `appleLibrary`, written as apps are: without the house rules.
func appleTests(_ module: String, on lower: String...) -> Target {
    .testTarget(
        name: "\(module)Tests", dependencies: named([module] + lower), exclude: ["Scenarios"],
        swiftSettings: [.treatAllWarnings(as: .error), .swiftLanguageMode(.v5)])
}

/// The readers of `Tests/FuzzingTests` as programs for libFuzzer, or as a test.
///
/// libFuzzer looks at all counters of a program after each run: so the readers of small modules have programs of their own.
func fuzzing() -> [Target] {
    let programs: [(name: String, files: [String], modules: [String])] = [
        ("Packets", ["Packets"], ["ATT", "Bluetooth", "HCI", "L2CAP", "Octets"]),
        (
            "Hosts",
            [
                "AlteredPairing", "ClientConversation", "ControllerConversation", "HostConversation",
                "PairingConversation", "ServerConversation",
            ],
            [
                "VirtualRadio", "ATT", "Bluetooth", "Characteristics", "GATT", "HCI", "LEHost", "Octets",
                "SecurityManager", "Simulation",
            ]
        ),
        (
            "Values", ["Values"],
            ["Characteristics", "Documents", "Octets", "Devices", "Services", "TextFormatting"]
        ),
        ("Bus", ["BusMessages"], ["ATT", "Bluetooth", "BlueZ", "CDBus", "DBus", "GATT", "HCI"]),
        ("JSON", ["JSON"], ["Documents", "TextFormatting"]),
        (
            "Files", ["Records", "ScenarioText", "Texts"],
            [
                "ClientTesting", "CommandSupport", "DeviceRecording", "Documents", "Replay", "Reporting",
                "ScenarioLanguage", "ScenarioModel", "Sensors", "Simulation", "TextFormatting",
            ]
        ),
    ]
    guard isFuzzing else {
        return [
            .testTarget(
                name: "FuzzingTests", dependencies: named((["Fuzzing"] + programs.flatMap(\.modules)).uniqued),
                exclude: [
                    "CFuzzer", "Driver", "Programs", "Corpus", "Crashes", "Codecs.txt", "Seeds.txt", "Unreached.txt",
                ],
                swiftSettings: houseRules())
        ]
    }
    return programs.map { program in
        .executableTarget(
            name: "fuzz\(program.name)", dependencies: named(["FuzzDriver", "Fuzzing"] + program.modules),
            path: "Tests/FuzzingTests",
            sources: program.files.map { "Readers/\($0).swift" } + ["Programs/\(program.name)Program.swift"],
            swiftSettings: houseRules())
    }
}

func cLibrary(_ name: String, pkgConfig: String? = nil) -> Target {
    .systemLibrary(name: name, path: path(of: name), pkgConfig: pkgConfig)
}

func named(_ targets: [String]) -> [Target.Dependency] { targets.map { .target(name: $0) } }

extension [String] {
    /// Each element once.
    var uniqued: [String] { Set(self).sorted() }
}

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

/// The targets of all layers; ends the build with the name of one that reaches upwards or sideways.
func checked(_ layers: [[Target]]) -> [Target] {
    var lower: Set<String> = []
    for layer in layers {
        for target in layer {
            for case .targetItem(let name, _) in target.dependencies where !lower.contains(name) {
                print("\(target.name) uses \(name), which is not on a lower layer")
                exit(1)
            }
        }
        lower.formUnion(layer.map(\.name))
    }
    return layers.flatMap { $0 }
}
