// swift-tools-version: 6.3
import PackageDescription

// Apps for Apple's platforms read this file on a Mac, too, although they use its products on Linux only.
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

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
        .system("CLubdubCrypto", pkgConfig: "libcrypto"), .c("CLubdubLinux"),
        .swift("Cryptography", uses: "CLubdubCrypto"),
        .swift("Basics", uses: "CLubdubLinux"),
        .swift("Documents", uses: "Basics"),
    ],
    "Protocol": [
        .swift("Bluetooth", uses: "Basics"),
        .swift("Characteristics", uses: "Bluetooth"),
        .swift("ATT", uses: "Bluetooth"),
        .swift("GATT", uses: "ATT", "Cryptography"),
        .swift("HCI", uses: "Bluetooth"),
        .swift("L2CAP", uses: "Bluetooth"),
        .swift("SecurityManager", uses: "Bluetooth", "Cryptography"),
        .swift("LEHost", uses: "GATT", "HCI", "L2CAP", "SecurityManager"),
        .swift("VirtualRadio", uses: "Cryptography", "HCI"),
    ],
    "Platform": [
        .system("CLubdubDBus", pkgConfig: "dbus-1"), .c("CMicrohttpd"),
        .swift("Sockets", uses: "HCI"),
        .swift("DBus", uses: "Basics", "CLubdubDBus"),
        .swift("Linux", uses: "Basics"),
    ],
    "Devices": [
        .swift("Devices", uses: "Characteristics", "Documents", "GATT"),
        .swift("Services", uses: "Devices"),
    ],
    "Scenario": [
        .swift("ScenarioModel", uses: "SecurityManager", "Services"),
        .swift("ScenarioLanguage", uses: "ScenarioModel"),
        .swift("ScenarioReference", uses: "ScenarioLanguage"),
        .swift("DeviceRecording", uses: "LEHost", "ScenarioLanguage"),
    ],
    "Engine": [
        .swift("VirtualWorld", uses: "LEHost", "ScenarioLanguage", "VirtualRadio"),
        .swift("Clients", uses: "VirtualWorld"),
        .swift("AppleBluetooth", uses: "Characteristics", "LEHost"),
    ],
    "Facades": [
        .system("COSLog"), .c("CVirtualTime"),
        .swift("CoreBluetooth", uses: "AppleBluetooth", "Sockets", by: appleRules),
        .swift("CoreBluetoothMock", uses: "CoreBluetooth", by: appleRules),
        .swift("os", uses: "COSLog"),
    ],
    "Doors": [
        .system("CBluetooth"),
        .swift("BlueZ", uses: "DBus", "LEHost"),
        .swift("Drivers", uses: "BlueZ", "CBluetooth", "Clients", "Linux", "Sockets"),
    ],
    "Verdicts": [
        .swift("Expectations", uses: "VirtualWorld"),
        .swift("Checks", uses: "Expectations"),
        .swift("CheckCatalogue", uses: "Checks"),
    ],
    "Tool": [
        .swift("CommandSupport", uses: "Linux", "Sockets"),
        .swift("Conformance", uses: "Expectations"),
        .swift("Reporting", uses: "CommandSupport", "Conformance", embedding: "HTML/page.css"),
        .swift("ScenarioRuns", uses: "Drivers", "Reporting"),
        .swift("Screens", uses: "CMicrohttpd", "ScenarioReference", "ScenarioRuns", embedding: "LivePage/page.html"),
        .swift("ClientTesting", uses: "Screens"),
        .swift("PeripheralTesting", uses: "CheckCatalogue", "Screens", embedding: "known-deviations.json"),
        .swift(
            "CommandLineTool", uses: "ClientTesting", "DeviceRecording", "PeripheralTesting",
            embedding: "Templates/Files/strap.json", "Templates/Files/thermometer.json",
            "Templates/Files/fitness.json", "Templates/Files/ecg.json", "Templates/Files/custom.json",
            "Templates/Files/suite.json", "Templates/Files/bumble_client.py", "Templates/Files/bleak_client.py"),
        .program("lubdub", uses: "CommandLineTool"),
        .swift("LubdubTesting", uses: "Conformance", "CoreBluetooth", "CVirtualTime", by: appleRules),
    ],
]

/// What tests of several modules share, in `Tests`.
let shared: [Module] = [
    .swift("EventLogs", uses: "ScenarioModel"), .swift("Fuzzing"), .swift("Mutations"),
    .swift("TestBus", uses: "Bluetooth", "DBus"),
]

/// The examples for other packages, with their settings, in `Examples/Sources`.
let examples: [Module] = [
    .swift("Adapters", uses: "DBus", by: exampleRules), .swift("Battery", uses: "GATT", by: exampleRules),
    .swift("Measurement", uses: "Characteristics", by: exampleRules),
    .swift("Scanner", uses: "LEHost", "Sockets", "VirtualRadio", by: exampleRules),
    .swift("BatteryPeripheral", uses: "Battery", "LEHost", "Sockets", by: exampleRules),
]

/// The program of `make bench`, which no package contains.
let benchmarks = Module.program("benchmarks", uses: "ClientTesting", embedding: "bumble.py")

/// The tests in `Tests/<name>Tests`, which use `Mutations`, too, and files there that are not Swift.
let tests =
    [
        "ATT", "AppleBluetooth", "Basics", "Bluetooth", "Characteristics", "Clients", "CommandLineTool",
        "CommandSupport", "Conformance", "Cryptography", "Documents", "GATT", "HCI", "L2CAP", "Linux",
        "Reporting", "ScenarioModel", "ScenarioReference", "ScenarioRuns", "Services", "Sockets", "VirtualRadio", "os",
    ].map { Module.tests($0, uses: $0) } + [
        .tests("BlueZ", uses: "BlueZ", "TestBus"), .tests("Checks", uses: "CheckCatalogue"),
        .tests("ClientTesting", uses: "CommandLineTool"),
        .tests("CoreBluetooth", uses: "CoreBluetoothMock", "LubdubTesting", excluding: "Scenarios", by: appRules),
        .tests("DBus", uses: "DBus", "Sockets", "TestBus"),
        .tests("DeviceRecording", uses: "Checks", "DeviceRecording"), .tests("Devices", uses: "Services"),
        .tests("Drivers", uses: "Drivers", "Expectations"), .tests("Expectations", uses: "EventLogs", "Expectations"),
        .tests("LEHost", uses: "LEHost", "VirtualRadio"),
        .tests("PeripheralTesting", uses: "CommandLineTool", "TestBus"),
        .tests("ScenarioLanguage", uses: "ScenarioLanguage", excluding: "Broken", "Fixtures", "Mistakes.txt"),
        .tests("Screens", uses: "Screens", excluding: "Terminal/Screens"),
        .tests("SecurityManager", uses: "SecurityManager", excluding: "pairings.txt"), .tests("Tidy"),
        .tests("VirtualWorld", uses: "Clients", "EventLogs", "Reporting"),
        .tests("Examples", uses: "Adapters", "BatteryPeripheral", "Measurement", "Scanner", "TestBus"),
    ]
let fuzzingTests = Module.tests(
    "Fuzzing", uses: "BlueZ", "Characteristics", "CommandLineTool", "Fuzzing", "VirtualRadio",
    excluding: "CFuzzer", "Driver", "Programs", "Corpus", "Crashes", "Codecs.txt", "Seeds.txt", "Unreached.txt")

/// The programs of `make fuzz`, with their readers in `Tests/FuzzingTests`.
///
/// After each run, libFuzzer looks at all counters of the program. Small programs keep the readers of small modules fast.
let fuzzers: [Module] = [
    .fuzzer("Packets", reading: "Packets", uses: "ATT", "HCI", "L2CAP"),
    .fuzzer(
        "Hosts",
        reading: "AlteredPairing", "ClientConversation", "ControllerConversation", "HostConversation",
        "PairingConversation", "ServerConversation",
        uses: "Characteristics", "LEHost", "VirtualRadio"),
    .fuzzer("Values", reading: "Values", uses: "Services"),
    .fuzzer("Bus", reading: "BusMessages", uses: "BlueZ", "HCI"),
    .fuzzer("JSON", reading: "JSON", uses: "Documents"),
    .fuzzer("Files", reading: "Records", "ScenarioText", "Texts", uses: "CommandLineTool"),
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

    /// `embedding`: files whose octets are constants of the module, by `PackageResources`.
    static func swift(
        _ name: String, uses: String..., embedding files: String..., by rules: [SwiftSetting] = houseRules
    ) -> Module {
        Module(name: name, uses: uses) { path, uses, flags in
            let files = files.map { Resource.embedInCode($0) }
            return .target(
                name: name, dependencies: uses, path: path, resources: files, swiftSettings: rules + flags)
        }
    }

    static func program(_ name: String, uses: String..., embedding files: String...) -> Module {
        Module(name: name, uses: uses) { path, uses, _ in
            let files = files.map { Resource.embedInCode($0) }
            return .executableTarget(
                name: name, dependencies: uses, path: path, resources: files, swiftSettings: houseRules)
        }
    }

    static func c(_ name: String) -> Module {
        Module(name: name, uses: []) { path, _, _ in .target(name: name, path: path) }
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

    static func fuzzer(_ name: String, reading files: String..., uses: String...) -> Module {
        let sources = files.map { "Readers/\($0).swift" } + ["Programs/\(name)Program.swift"]
        return Module(name: "fuzz\(name)", uses: ["FuzzDriver"] + uses) { _, uses, _ in
            .executableTarget(
                name: "fuzz\(name)", dependencies: uses, path: "Tests/FuzzingTests", sources: sources,
                swiftSettings: houseRules)
        }
    }
}

/// The targets so far, and for each module all that it uses.
var targets: [Target] = []
var reach: [String: Set<String>] = [:]

/// These modules and all that they use; ends the build with the name of one that does not come before its `user`.
@MainActor func all(_ names: [String], for user: String) -> Set<String> {
    names.reduce(into: Set(names)) { modules, name in
        guard let below = reach[name] else {
            print("\(user) uses \(name), which does not come before it in Package.swift")
            exit(1)
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
    add(.swift("FuzzDriver", uses: "CFuzzer", "Fuzzing"), in: "Tests/FuzzingTests/Driver")
    for module in fuzzers { add(module, in: "Tests/FuzzingTests") }
} else {
    add(fuzzingTests, in: "Tests/FuzzingTests")
}

let systems = targets.filter { $0.type == .system }.map(\.name)

let package = Package(
    name: "Lubdub",
    products: libraries.map { .library(name: $0, targets: all($1, for: $0).subtracting(systems).sorted()) },
    targets: targets, swiftLanguageModes: [.v6])
