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
        library(
            "Templates",
            embedding: "Files/strap.json", "Files/thermometer.json", "Files/fitness.json", "Files/ecg.json",
            "Files/custom.json", "Files/suite.json", "Files/bumble_client.py", "Files/bleak_client.py"),
        cLibrary("CCrypto", pkgConfig: "libcrypto"),
        cLibrary("CBluetooth"), cLibrary("COSLog"), cLibrary("CDBus", pkgConfig: "dbus-1"), cLibrary("CLinux"),
        .target(name: "CMicrohttpd", path: path(of: "CMicrohttpd")),
        .target(name: "CProgram", path: path(of: "CProgram")),
    ],
    [
        library("Cryptography", on: "CCrypto"),
        library("Simulation", on: "CLinux"),
    ],
    [library("Basics", on: "Simulation")],
    [
        library("Arguments", on: "Basics"),
        library("Bluetooth", on: "Basics"),
        library("Documents", on: "Basics"),
    ],
    [
        library("ATT", on: "Basics", "Bluetooth", "Simulation"),
        library("Characteristics", on: "Basics", "Bluetooth"),
        library("DBus", on: "Basics", "CDBus", "Simulation"),
        library("HCI", on: "Basics", "Bluetooth"),
        library("L2CAP", on: "Basics", "Bluetooth"),
        library("Sensors", on: "Simulation"),
    ],
    [
        library("Sockets", on: "Basics", "CLinux", "HCI", "Simulation"),
        library("GATT", on: "ATT", "Basics", "Bluetooth", "Cryptography", "Simulation"),
        library("SecurityManager", on: "Basics", "Bluetooth", "Cryptography", "Simulation"),
        library("VirtualRadio", on: "Basics", "Bluetooth", "Cryptography", "HCI", "Simulation"),
    ],
    [
        library("HTTP", on: "CMicrohttpd", "Simulation", "Sockets"),
        library(
            "CommandSupport",
            on: "Arguments", "Basics", "Bluetooth", "CLinux", "CProgram", "Simulation", "Sockets"),
        library("LEHost", on: "ATT", "Basics", "Bluetooth", "GATT", "HCI", "L2CAP", "SecurityManager", "Simulation"),
        library("Devices", on: "Basics", "Bluetooth", "Characteristics", "Documents", "GATT", "Sensors", "Simulation"),
    ],
    [
        library(
            "KernelBluetooth",
            on: "Arguments", "Basics", "CBluetooth", "CLinux", "CommandSupport", "Simulation", "Sockets"),
        library(
            "AppleBluetooth",
            on: "ATT", "Basics", "Bluetooth", "Characteristics", "GATT", "HCI", "LEHost", "SecurityManager",
            "Simulation"),
    ],
    [
        appleLibrary(
            "CoreBluetooth",
            on: "AppleBluetooth", "ATT", "Bluetooth", "GATT", "HCI", "LEHost", "SecurityManager", "Simulation",
            "Sockets"),
        .target(name: "CVirtualTime", path: path(of: "CVirtualTime")),
        library("os", on: "COSLog"),
    ],
    [
        library(
            "Services",
            on: "Basics", "Bluetooth", "Characteristics", "Devices", "Documents", "GATT", "Sensors", "Simulation")
    ],
    [
        library(
            "ScenarioModel",
            on: "Basics", "Bluetooth", "Characteristics", "Devices", "Documents", "GATT", "SecurityManager",
            "Sensors", "Services", "Simulation")
    ],
    [
        library(
            "ScenarioLanguage",
            on: "Basics", "Bluetooth", "Characteristics", "Devices", "Documents", "GATT", "ScenarioModel",
            "SecurityManager", "Sensors", "Services", "Simulation")
    ],
    [
        library("BlueZ", on: "ATT", "Basics", "Bluetooth", "DBus", "GATT", "HCI", "LEHost", "Simulation"),
        library(
            "DeviceRecording",
            on: "ATT", "Basics", "Bluetooth", "Devices", "Documents", "GATT", "HCI", "L2CAP", "LEHost",
            "ScenarioLanguage", "ScenarioModel", "Services", "Simulation"),
        library(
            "ScenarioReference",
            on: "Basics", "Bluetooth", "Characteristics", "Devices", "Documents", "GATT", "ScenarioLanguage",
            "ScenarioModel", "Services", "Simulation"),
    ],
    [
        library(
            "VirtualWorld",
            on: "ATT", "Basics", "Bluetooth", "Characteristics", "Cryptography", "Devices", "GATT", "HCI", "L2CAP",
            "LEHost", "ScenarioLanguage", "ScenarioModel", "SecurityManager", "Sensors", "Services", "Simulation",
            "VirtualRadio")
    ],
    [
        library(
            "Expectations",
            on: "Basics", "Bluetooth", "Devices", "Documents", "ScenarioModel", "Services", "Simulation",
            "VirtualWorld")
    ],
    [
        library(
            "Clients",
            on: "ATT", "Basics", "Bluetooth", "Characteristics", "Devices", "GATT", "HCI", "LEHost",
            "SecurityManager", "Services", "Simulation", "VirtualWorld"),
        library(
            "Conformance",
            on: "Arguments", "Basics", "Bluetooth", "Documents", "Expectations", "ScenarioLanguage", "ScenarioModel",
            "Simulation"),
        library(
            "Checks",
            on: "ATT", "Basics", "Bluetooth", "Cryptography", "Devices", "Expectations", "GATT", "HCI", "L2CAP",
            "LEHost", "ScenarioModel", "SecurityManager", "Sensors", "Services", "Simulation", "VirtualWorld"),
    ],
    [
        appleLibrary("CoreBluetoothMock", on: "CoreBluetooth"),
        appleLibrary(
            "LubdubTesting",
            on: "AppleBluetooth", "Basics", "Bluetooth", "Conformance", "CoreBluetooth", "CVirtualTime", "Devices",
            "Documents", "Expectations", "HCI", "LEHost", "ScenarioLanguage", "ScenarioModel", "SecurityManager",
            "Simulation", "VirtualWorld"),
        library(
            "Terminal",
            on: "Basics", "BlueZ", "Characteristics", "Clients", "CommandSupport", "Devices", "Documents", "Services",
            "Simulation"),
        library(
            "Drivers",
            on: "Arguments", "Basics", "Bluetooth", "BlueZ", "Clients", "CommandSupport", "DBus", "Devices",
            "Documents", "Expectations", "GATT", "HCI", "KernelBluetooth", "LEHost", "ScenarioLanguage",
            "ScenarioModel", "SecurityManager", "Simulation", "Sockets", "VirtualWorld"),
        library(
            "Reporting",
            on: "Arguments", "Basics", "Bluetooth", "CommandSupport", "Conformance", "Documents", "Expectations",
            "ScenarioModel", "Simulation",
            embedding: "HTML/page.css"),
    ],
    [
        library(
            "CheckCatalogue",
            on: "ATT", "Basics", "Bluetooth", "Characteristics", "Checks", "Cryptography", "Devices", "GATT", "HCI",
            "LEHost", "SecurityManager", "Services", "Simulation"),
        library(
            "ScenarioRuns",
            on: "Arguments", "ATT", "Basics", "Bluetooth", "Characteristics", "Clients", "CommandSupport",
            "Conformance", "Devices", "Documents", "Expectations", "GATT", "HCI", "L2CAP", "LEHost", "Reporting",
            "ScenarioLanguage", "ScenarioModel", "Services", "Simulation", "Sockets", "VirtualWorld"),
        library(
            "Doctor",
            on: "Arguments", "Basics", "Bluetooth", "BlueZ", "CommandSupport", "DBus", "KernelBluetooth",
            "Simulation", "Sockets"),
    ],
    [
        library(
            "Replay",
            on: "Basics", "CommandSupport", "Documents", "ScenarioLanguage", "ScenarioModel", "ScenarioRuns",
            "Simulation")
    ],
    [
        library(
            "PeripheralTesting",
            on: "Arguments", "Basics", "Bluetooth", "Checks", "CommandSupport", "Conformance", "DBus", "Documents",
            "Drivers", "Expectations", "GATT", "LEHost", "Reporting", "ScenarioModel", "ScenarioRuns",
            "SecurityManager", "Simulation", "Sockets", "Terminal", "VirtualWorld",
            embedding: "known-deviations.json"),
        library(
            "ClientTesting",
            on: "Arguments", "Basics", "Bluetooth", "Clients", "CLinux", "CommandSupport", "Conformance", "Devices",
            "Documents", "Drivers", "Expectations", "HCI", "Reporting", "ScenarioLanguage", "ScenarioModel",
            "ScenarioRuns", "Services", "Simulation", "Sockets", "Terminal", "VirtualWorld"),
        library(
            "Control",
            on: "Arguments", "Basics", "CommandSupport", "Devices", "Documents", "Drivers", "ScenarioLanguage",
            "ScenarioModel", "ScenarioRuns", "Sensors", "Services", "Simulation", "Sockets", "Terminal",
            "VirtualWorld"),
    ],
    [
        library(
            "Benchmarks",
            on: "Arguments", "Basics", "Bluetooth", "Characteristics", "Clients", "ClientTesting", "CommandSupport",
            "Conformance", "Devices", "Documents", "Drivers", "Expectations", "GATT", "HCI", "LEHost", "Reporting",
            "ScenarioLanguage", "ScenarioModel", "ScenarioRuns", "Services", "Simulation", "Sockets", "VirtualWorld",
            embedding: "bumble.py"),
        library(
            "LivePage",
            on: "Arguments", "Basics", "Bluetooth", "CommandSupport", "Control", "Devices", "Documents", "Drivers",
            "HTTP", "ScenarioLanguage", "ScenarioModel", "ScenarioReference", "ScenarioRuns", "Simulation", "Sockets",
            "VirtualWorld",
            embedding: "page.html"),
    ],
    [
        library(
            "CommandLineTool",
            on: "Arguments", "Basics", "Benchmarks", "Bluetooth", "CheckCatalogue", "Checks", "Clients",
            "ClientTesting", "CommandSupport", "Conformance", "Control", "DeviceRecording", "Devices", "Doctor",
            "Documents", "Drivers", "KernelBluetooth", "LivePage", "PeripheralTesting", "Replay", "Reporting",
            "ScenarioLanguage", "ScenarioModel", "ScenarioReference", "ScenarioRuns", "Services", "Simulation",
            "Sockets", "Templates", "Terminal", "VirtualWorld")
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
        tests("VirtualRadio", on: "Basics", "Bluetooth", "Cryptography", "HCI", "Mutations", "Simulation"),
        tests("AppleBluetooth", on: "Basics", "Bluetooth", "GATT", "HCI", "LEHost", "Simulation"),
        tests("Arguments"),
        tests("ATT", on: "Basics", "Bluetooth", "Mutations", "Simulation"),
        tests("BlueZ", on: "ATT", "Basics", "Bluetooth", "DBus", "GATT", "HCI", "LEHost", "Simulation", "TestBus"),
        tests("Bluetooth", on: "Basics", "Mutations"),
        tests("Characteristics", on: "Basics", "Bluetooth", "Mutations"),
        tests(
            "ClientTesting",
            on: "Arguments", "Basics", "Clients", "CommandLineTool", "CommandSupport", "Conformance", "Documents",
            "Drivers", "Expectations", "HCI", "LEHost", "ScenarioLanguage", "ScenarioModel", "ScenarioRuns",
            "Simulation", "Terminal", "VirtualWorld"),
        tests(
            "Clients",
            on: "ATT", "Basics", "Bluetooth", "Characteristics", "GATT", "HCI", "LEHost", "SecurityManager",
            "Simulation"),
        tests(
            "CommandLineTool",
            on: "Arguments", "Bluetooth", "Characteristics", "Clients", "CommandSupport", "ScenarioLanguage",
            "ScenarioModel", "ScenarioRuns", "Templates"),
        tests(
            "Conformance",
            on: "Arguments", "Basics", "Bluetooth", "Documents", "Expectations", "ScenarioLanguage", "ScenarioModel",
            "Simulation"),
        tests(
            "Checks",
            on: "Basics", "Bluetooth", "CheckCatalogue", "Devices", "Documents", "Expectations", "HCI", "LEHost",
            "ScenarioLanguage", "ScenarioModel", "Services", "Simulation", "VirtualWorld"),
        tests(
            "Control",
            on: "Arguments", "Basics", "CommandSupport", "Drivers", "ScenarioModel", "Sensors", "Simulation",
            "Terminal", "VirtualWorld"),
        appleTests("CoreBluetooth", on: "CoreBluetoothMock", "LubdubTesting", "Sockets"),
        tests("CommandSupport", on: "Arguments", "CLinux", "Simulation"),
        tests("Cryptography"),
        tests("DBus", on: "Basics", "CDBus", "Simulation", "Sockets", "TestBus"),
        tests("Doctor", on: "Arguments", "CommandSupport", "KernelBluetooth"),
        tests(
            "Drivers",
            on: "Arguments", "Basics", "Bluetooth", "Clients", "CommandSupport", "Expectations", "GATT", "HCI",
            "LEHost", "Mutations", "ScenarioLanguage", "ScenarioModel", "SecurityManager", "Simulation", "Sockets",
            "VirtualWorld"),
        tests("Documents", on: "Basics", "Mutations"),
        tests(
            "Expectations",
            on: "Basics", "Documents", "EventLogs", "ScenarioLanguage", "ScenarioModel", "Simulation"),
        tests("GATT", on: "ATT", "Basics", "Bluetooth", "Mutations", "Simulation"),
        tests("HCI", on: "Basics", "Bluetooth", "Mutations"),
        tests("HTTP", on: "Simulation", "Sockets"),
        tests("L2CAP", on: "Basics", "Bluetooth", "Mutations"),
        tests(
            "LEHost",
            on: "ATT", "Basics", "Bluetooth", "GATT", "HCI", "L2CAP", "Mutations", "SecurityManager", "Simulation",
            "VirtualRadio"),
        tests("KernelBluetooth", on: "Basics", "CommandSupport", "Mutations"),
        tests(
            "LivePage",
            on: "Arguments", "Basics", "Bluetooth", "CommandSupport", "Documents", "HTTP", "ScenarioLanguage",
            "ScenarioModel", "ScenarioReference", "Simulation", "VirtualWorld"),
        tests("Basics", on: "Simulation"), tests("os"),
        tests("Devices", on: "Basics", "Bluetooth", "Characteristics", "GATT", "Sensors", "Services", "Simulation"),
        tests(
            "Replay",
            on: "Basics", "CommandSupport", "Documents", "ScenarioLanguage", "ScenarioModel", "ScenarioRuns",
            "Sensors", "Simulation", "VirtualWorld"),
        tests(
            "PeripheralTesting", on: "TestBus", "Arguments", "Bluetooth", "CheckCatalogue", "Checks", "CLinux",
            "CommandLineTool", "CommandSupport", "Conformance", "DBus", "Expectations", "Reporting", "ScenarioRuns",
            "Simulation"),
        tests(
            "Reporting",
            on: "Arguments", "Basics", "Bluetooth", "CommandSupport", "Conformance", "Documents", "Expectations",
            "Mutations", "ScenarioLanguage", "ScenarioModel", "Simulation"),
        tests(
            "ScenarioRuns",
            on: "Arguments", "Basics", "Bluetooth", "Characteristics", "Clients", "CommandSupport", "Conformance",
            "Documents", "Expectations", "HCI", "Reporting", "ScenarioLanguage", "ScenarioModel", "Simulation"),
        tests(
            "ScenarioLanguage",
            on: "Basics", "Bluetooth", "Devices", "Documents", "Mutations", "ScenarioModel", "Sensors", "Services",
            "Simulation",
            excluding: "Broken", "Fixtures", "Mistakes.txt"),
        tests(
            "ScenarioReference",
            on: "Basics", "Devices", "Documents", "ScenarioLanguage", "ScenarioModel", "Services"),
        tests("ScenarioModel", on: "Basics", "Bluetooth", "Simulation"),
        tests(
            "Terminal",
            on: "Basics", "Bluetooth", "Characteristics", "Clients", "CommandSupport", "Simulation",
            excluding: "Screens"),
        tests(
            "SecurityManager",
            on: "Basics", "Bluetooth", "Cryptography", "Mutations", "Simulation",
            excluding: "pairings.txt"),
        tests("Sensors", on: "Simulation"),
        tests("Services", on: "Basics", "Bluetooth", "Characteristics", "Documents", "GATT", "Sensors", "Simulation"),
        tests("Simulation", on: "CLinux"),
        tests(
            "DeviceRecording",
            on: "ATT", "Basics", "Bluetooth", "Checks", "Devices", "Documents", "GATT", "HCI", "ScenarioLanguage",
            "ScenarioModel", "Simulation", "VirtualWorld"),
        tests("Sockets", on: "Basics", "HCI", "Simulation"),
        tests(
            "VirtualWorld",
            on: "ATT", "Basics", "Bluetooth", "Characteristics", "Clients", "Conformance", "Devices", "Documents",
            "EventLogs", "Expectations", "GATT", "HCI", "LEHost", "Reporting", "ScenarioLanguage", "ScenarioModel",
            "Sensors", "Services", "Simulation", "VirtualRadio"),
        .testTarget(
            name: "ExamplesTests",
            dependencies: named(
                (["Adapters", "Battery", "BatteryPeripheral", "Measurement", "Scanner", "TestBus"]
                    + libraries().flatMap(\.modules)).uniqued),
            swiftSettings: houseRules()),
        .testTarget(name: "TidyTests", swiftSettings: houseRules()),
    ] + fuzzing(),
]

/// The libraries for other packages: the modules that a library's subject needs, each of which can be imported.
func libraries() -> [(name: String, modules: [String])] {
    [
        ("LubdubCharacteristics", ["Basics", "Bluetooth", "Characteristics"]),
        ("LubdubDBus", ["DBus", "Simulation"]),
        ("LubdubGATT", ["ATT", "Basics", "Bluetooth", "Cryptography", "GATT", "L2CAP", "Simulation"]),
        (
            "LubdubHost",
            [
                "ATT", "Basics", "Bluetooth", "Cryptography", "GATT", "HCI", "L2CAP", "LEHost", "SecurityManager",
                "Simulation", "Sockets",
            ]
        ),
        ("LubdubVirtualRadio", ["Basics", "Bluetooth", "Cryptography", "HCI", "Simulation", "VirtualRadio"]),
    ]
}

/// One product per library, and those for apps that use Apple's CoreBluetooth.
func products() -> [Product] {
    libraries().map { .library(name: $0.name, targets: $0.modules) }
        + ["CoreBluetooth", "CoreBluetoothMock", "LubdubTesting", "os"].map { .library(name: $0, targets: [$0]) }
}

/// The folders of `Sources`: what belongs together, whatever its layer.
func folders() -> [String: [String]] {
    [
        "Apple": [
            "AppleBluetooth", "COSLog", "CoreBluetooth", "CoreBluetoothMock", "CVirtualTime", "LubdubTesting", "os",
        ],
        "Basics": ["Arguments", "Basics", "CCrypto", "Cryptography", "Documents", "Simulation"],
        "Protocol": [
            "ATT", "Bluetooth", "Characteristics", "GATT", "HCI", "L2CAP", "LEHost", "SecurityManager", "VirtualRadio",
        ],
        "Devices": ["Devices", "Sensors", "Services"],
        "Client": ["Clients"],
        "Scenario": ["DeviceRecording", "ScenarioLanguage", "ScenarioModel", "ScenarioReference", "VirtualWorld"],
        "Verdicts": [
            "CheckCatalogue", "Checks", "ClientTesting", "Conformance", "Expectations", "PeripheralTesting",
            "Reporting",
        ],
        "Linux": [
            "BlueZ", "CBluetooth", "CDBus", "CLinux", "CMicrohttpd", "CProgram", "DBus", "Drivers", "HTTP",
            "KernelBluetooth", "Sockets",
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
func example(_ name: String, on lower: String...) -> Target {
    let modules = lower.flatMap { name in libraries().first { $0.name == name }?.modules ?? [name] }
    return .target(
        name: name, dependencies: named(modules.uniqued), path: "Examples/Sources/\(name)",
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
        ("Packets", ["Packets"], ["ATT", "Bluetooth", "HCI", "L2CAP", "Basics"]),
        (
            "Hosts",
            [
                "AlteredPairing", "ClientConversation", "ControllerConversation", "HostConversation",
                "PairingConversation", "ServerConversation",
            ],
            [
                "VirtualRadio", "ATT", "Bluetooth", "Characteristics", "GATT", "HCI", "LEHost", "Basics",
                "SecurityManager", "Simulation",
            ]
        ),
        (
            "Values", ["Values"],
            ["Characteristics", "Documents", "Basics", "Devices", "Services"]
        ),
        ("Bus", ["BusMessages"], ["ATT", "Bluetooth", "BlueZ", "CDBus", "DBus", "GATT", "HCI"]),
        ("JSON", ["JSON"], ["Documents", "Basics"]),
        (
            "Files", ["Records", "ScenarioText", "Texts"],
            [
                "ClientTesting", "CommandSupport", "DeviceRecording", "Documents", "Replay", "Reporting",
                "ScenarioLanguage", "ScenarioModel", "Sensors", "Simulation", "Basics",
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
