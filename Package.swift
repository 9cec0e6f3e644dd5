// swift-tools-version: 6.3
import PackageDescription

let exampleRules: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let appRules = exampleRules + [.swiftLanguageMode(.v5)]
let houseRules =
    exampleRules + [
        .strictMemorySafety(), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
/// For declarations that are Apple's, with classes that are not Sendable: Swift 5, which does not check that.
let appleRules = houseRules + [.swiftLanguageMode(.v5)]

/// The floors of the house, from the lowest: the folders of `Sources`.
///
/// A module uses modules that come before it, and with each of them all that it uses. So no floor uses a higher one.
let floors: KeyValuePairs<String, [Module]> = [
    "Basics": [
        .system("CLubdubCrypto", pkgConfig: "libcrypto"), .module("CLubdubLinux"),
        .module("Cryptography", uses: "CLubdubCrypto"),
        .module("Basics", uses: "CLubdubLinux"),
        .module("Documents", uses: "Basics"),
    ],
    "Protocol": [
        .module("Bluetooth", uses: "Basics"),
        .module("Characteristics", uses: "Bluetooth"),
        .module("ATT", uses: "Bluetooth"),
        .module("GATT", uses: "ATT", "Cryptography"),
        .module("HCI", uses: "Bluetooth"),
        .module("L2CAP", uses: "Bluetooth"),
        .module("SecurityManager", uses: "Bluetooth", "Cryptography"),
        .module("LEHost", uses: "GATT", "HCI", "L2CAP", "SecurityManager"),
        .module("VirtualRadio", uses: "Cryptography", "HCI"),
    ],
    "Platform": [
        .system("CLubdubDBus", pkgConfig: "dbus-1"), .module("CMicrohttpd"),
        .module("Sockets", uses: "HCI"),
        .module("DBus", uses: "Basics", "CLubdubDBus"),
        .module("BlueZNames", uses: "DBus", "GATT", "SecurityManager"),
        .module("CClientTime"), .module("Linux", uses: "Basics", "CClientTime"),
    ],
    "Devices": [
        .module("Devices", uses: "Characteristics", "Documents", "GATT"),
        .module("Services", uses: "Devices"),
    ],
    "Scenario": [
        .module("ScenarioModel", uses: "SecurityManager", "Services"),
        .module("ScenarioLanguage", uses: "ScenarioModel"),
        .module("DeviceRecording", uses: "LEHost", "ScenarioLanguage"),
    ],
    "Engine": [
        .module("VirtualWorld", uses: "LEHost", "ScenarioLanguage", "VirtualRadio"),
        .module("SystemBluetooth", uses: "Characteristics", "LEHost"),
        .module("Clients", uses: "SystemBluetooth", "VirtualWorld"),
    ],
    "Facades": [
        .module("BlueZServer", uses: "BlueZNames", "SystemBluetooth"), .system("COSLog"), .module("CVirtualTime"),
        .module("CoreBluetooth", uses: "SystemBluetooth", "Sockets", by: appleRules),
        .module("CoreBluetoothMock", uses: "CoreBluetooth", by: appleRules), .module("os", uses: "COSLog"),
    ],
    "Doors": [
        .system("CBluetooth"), .module("BlueZ", uses: "BlueZNames", "LEHost"),
        .module("Drivers", uses: "BlueZ", "CBluetooth", "Clients", "Linux", "Sockets"),
    ],
    "Verdicts": [
        .module("Expectations", uses: "VirtualWorld"),
        .module("Checks", uses: "Expectations"), .module("CheckCatalogue", uses: "Checks"),
        .module("Conformance", uses: "Expectations", "Linux", embedding: "Reports/HTML/page.css"),
        .module("Causes", uses: "Conformance"),
        .module(
            "Cases", uses: "BlueZServer", "Causes", "CheckCatalogue", "Drivers",
            embedding: "Peripheral/known-deviations.json"),
    ],
    "Tool": [
        .module("CommandSupport", uses: "Cases"),
        .module("Screens", uses: "CMicrohttpd", "CommandSupport", embedding: "LivePage/page.html"),
        .module(
            "CommandLineTool", uses: "DeviceRecording", "Screens",
            embedding: "Templates/Files/strap.json", "Templates/Files/thermometer.json",
            "Templates/Files/fitness.json", "Templates/Files/ecg.json", "Templates/Files/custom.json",
            "Templates/Files/suite.json", "Templates/Files/bumble_client.py", "Templates/Files/bleak_client.py"),
        .program("lubdub", uses: ["CommandLineTool"]),
        .module("LubdubTesting", uses: "Causes", "Clients", "CoreBluetooth", "CVirtualTime", by: appleRules),
    ],
]

/// What tests of several modules share, in `Tests`.
let shared: [Module] = [
    .module("EventLogs", uses: "ScenarioModel"), .module("Fuzzing"), .module("Mutations"),
    .module("TestBus", uses: "Bluetooth", "DBus"),
]

/// The examples for other packages, with their settings, in `Examples/Sources`.
let examples: [Module] = [
    .module("Adapters", uses: "DBus", by: exampleRules), .module("Battery", uses: "GATT", by: exampleRules),
    .module("Measurement", uses: "Characteristics", by: exampleRules),
    .module("Scanner", uses: "LEHost", "Sockets", "VirtualRadio", by: exampleRules),
    .module("BatteryPeripheral", uses: "Battery", "LEHost", "Sockets", by: exampleRules),
]

/// The program of `make bench`, which no package contains.
let benchmarks = Module.program("benchmarks", uses: ["CommandLineTool"], embedding: "bumble.py", "bluezoo.py")

/// The tests in `Tests/<name>Tests`, which use `Mutations`, too, and files there that are not Swift.
let tests =
    [
        "ATT", "Basics", "Bluetooth", "Characteristics", "Clients", "CommandSupport",
        "Conformance", "Cryptography", "Documents", "GATT", "HCI", "L2CAP", "ScenarioModel",
        "Services", "Sockets", "VirtualRadio", "os",
    ].map { Module.tests($0, uses: $0) } + [
        .tests("BlueZ", uses: "BlueZ", "TestBus"), .tests("BlueZServer", uses: "BlueZServer"),
        .tests("Cases", uses: "CommandSupport"), .tests("Checks", uses: "CheckCatalogue"),
        .tests("CommandLineTool", uses: "CommandLineTool", "TestBus"),
        .tests("CoreBluetooth", uses: "CoreBluetoothMock", "LubdubTesting", excluding: "Scenarios", by: appRules),
        .tests("DeviceRecording", uses: "Checks", "DeviceRecording"), .tests("Devices", uses: "Services"),
        .tests("Drivers", uses: "Drivers", "Expectations"), .tests("Expectations", uses: "EventLogs", "Expectations"),
        .tests("LEHost", uses: "LEHost", "VirtualRadio"), .tests("Linux", uses: "Linux", excluding: "ClientTime"),
        .tests("ScenarioLanguage", uses: "ScenarioLanguage", excluding: "Broken", "Fixtures", "Mistakes.txt"),
        .tests("Screens", uses: "Screens", excluding: "Terminal/Screens"),
        .tests("SecurityManager", uses: "SecurityManager", excluding: "pairings.txt"),
        .tests("SystemBluetooth", uses: "SystemBluetooth", "VirtualWorld"), .tests("Tidy"),
        .tests("DBus", uses: "DBus", "Sockets", "TestBus"),
        .tests("VirtualWorld", uses: "Clients", "Conformance", "EventLogs"),
        .tests("Examples", uses: "Adapters", "BatteryPeripheral", "Measurement", "Scanner", "TestBus"),
    ]
let fuzzingTests = Module.tests(
    "Fuzzing", uses: "BlueZ", "BlueZServer", "Characteristics", "CommandLineTool", "Fuzzing", "VirtualRadio",
    excluding: "CFuzzer", "Driver", "Programs", "Corpus", "Crashes", "Codecs.txt", "Seeds.txt", "Unreached.txt")

/// The programs of `make fuzz`, each with the folder of its name in `Tests/FuzzingTests/Readers`.
///
/// After each run, libFuzzer looks at all counters of the program. Small programs keep the readers of small modules fast.
let fuzzers: [Module] = [
    .fuzzer("Packets", uses: "ATT", "HCI", "L2CAP"),
    .fuzzer("Hosts", uses: "Characteristics", "LEHost", "VirtualRadio"), .fuzzer("Values", uses: "Services"),
    .fuzzer("Bus", uses: "BlueZ", "BlueZServer"), .fuzzer("JSON", uses: "Documents"),
    .fuzzer("Files", uses: "CommandLineTool"),
]

/// The libraries for other packages, each with the modules of its subject.
let libraries: KeyValuePairs = [
    "LubdubCharacteristics": ["Characteristics"], "LubdubDBus": ["DBus"], "LubdubGATT": ["GATT", "L2CAP"],
    "LubdubHost": ["LEHost", "Sockets"], "LubdubVirtualRadio": ["VirtualRadio"],
    "CoreBluetooth": ["CoreBluetooth"], "CoreBluetoothMock": ["CoreBluetoothMock"],
    "LubdubTesting": ["LubdubTesting"], "os": ["os"],
]

/// Whether `make fuzz` builds its programs.
let isFuzzing = Context.environment["LUBDUB_FUZZ"] != nil

/// Whether a debug build optimizes what plays scenarios, so that tests take a tenth of the time; assertions stay.
///
/// A package that depends on this one may not have the flags. `LUBDUB_UNOPTIMIZED=1` is for debuggers.
let isOptimizing =
    !Context.packageDirectory.contains("/checkouts/") && Context.environment["LUBDUB_UNOPTIMIZED"] == nil
let unoptimizedFloors = ["Platform", "Facades", "Doors", "Tool"]

struct Module {
    let name: String
    let uses: [String]
    /// The target, with this path, dependencies and flags for Swift.
    let target: (String, [Target.Dependency], [SwiftSetting]) -> Target

    /// A module in Swift or C; `embedding`: files whose octets are constants of the module, by `PackageResources`.
    static func module(
        _ name: String, uses: String..., embedding files: String..., by rules: [SwiftSetting] = houseRules
    ) -> Module {
        Module(name: name, uses: uses) { path, uses, flags in
            .target(
                name: name, dependencies: uses, path: path, resources: files.map { .embedInCode($0) },
                swiftSettings: rules + flags)
        }
    }

    /// `sources`: the files of its folder, unless all belong to it.
    static func program(
        _ name: String, uses: [String], embedding files: String..., sources: [String]? = nil
    ) -> Module {
        Module(name: name, uses: uses) { path, uses, _ in
            .executableTarget(
                name: name, dependencies: uses, path: path, sources: sources,
                resources: files.map { .embedInCode($0) }, swiftSettings: houseRules)
        }
    }

    static func system(_ name: String, pkgConfig: String? = nil) -> Module {
        Module(name: name, uses: []) { path, _, _ in .systemLibrary(name: name, path: path, pkgConfig: pkgConfig) }
    }

    static func tests(
        _ name: String, uses: String..., excluding files: String..., by rules: [SwiftSetting] = houseRules
    ) -> Module {
        Module(name: "\(name)Tests", uses: ["Mutations"] + uses) { path, uses, _ in
            .testTarget(
                name: "\(name)Tests", dependencies: uses, path: path, exclude: files, swiftSettings: rules)
        }
    }

    static func fuzzer(_ name: String, uses: String...) -> Module {
        .program(
            "fuzz\(name)", uses: ["FuzzDriver"] + uses, sources: ["Readers/\(name)", "Programs/\(name)Program.swift"])
    }
}

/// The targets so far, and for each module all that it uses.
var targets: [Target] = []
var reach: [String: Set<String>] = [:]

/// These modules and all that they use; ends the build with the name of one that does not come before its `user`.
@MainActor func all(_ names: [String], for user: String) -> Set<String> {
    names.reduce(into: Set(names)) { modules, name in
        guard let below = reach[name] else {
            fatalError("\(user) uses \(name), which does not come before it in Package.swift")
        }
        modules.formUnion(below)
    }
}

@MainActor func add(_ module: Module, in path: String, _ flags: [String] = []) {
    let uses = all(module.uses, for: module.name)
    reach[module.name] = uses
    targets.append(
        module.target(
            path, uses.sorted().map { .target(name: $0) },
            flags.isEmpty ? [] : [.unsafeFlags(flags, .when(configuration: .debug))]))
}

for (floor, modules) in floors {
    let flags = isOptimizing && !unoptimizedFloors.contains(floor) ? ["-O", "-assert-config", "Debug"] : []
    for module in modules { add(module, in: "Sources/\(floor)/\(module.name)", flags) }
}
for module in shared { add(module, in: "Tests/\(module.name)") }
for module in examples { add(module, in: "Examples/Sources/\(module.name)") }
for module in tests { add(module, in: "Tests/\(module.name)") }
add(benchmarks, in: "Benchmarks/Sources")
if isFuzzing {
    add(.system("CFuzzer"), in: "Tests/FuzzingTests/CFuzzer")
    add(.module("FuzzDriver", uses: "CFuzzer", "Fuzzing"), in: "Tests/FuzzingTests/Driver")
    for module in fuzzers { add(module, in: "Tests/FuzzingTests") }
} else {
    add(fuzzingTests, in: "Tests/FuzzingTests")
}

let systems = targets.filter { $0.type == .system }.map(\.name)

let package = Package(
    name: "Lubdub",
    products: libraries.map { .library(name: $0, targets: all($1, for: $0).subtracting(systems).sorted()) },
    targets: targets, swiftLanguageModes: [.v6])
