// swift-tools-version: 6.3
import PackageDescription

// Apps for Apple's platforms read this file on a Mac, too, although they use its products on Linux only.
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The floors of the house, from the lowest: the folders of `Sources`.
///
/// A module uses modules that come before it, and with each of them all that it uses. So no floor uses a higher one.
let floors = [
    Floor(
        "Basics",
        .system("CCrypto", pkgConfig: "libcrypto"), .c("CLinux"),
        .swift("Cryptography", uses: "CCrypto"),
        .swift("Basics", uses: "CLinux"),
        .swift("Documents", uses: "Basics")),
    Floor(
        "Protocol",
        .swift("Bluetooth", uses: "Basics"),
        .swift("Characteristics", uses: "Bluetooth"),
        .swift("ATT", uses: "Bluetooth"),
        .swift("GATT", uses: "ATT", "Cryptography"),
        .swift("HCI", uses: "Bluetooth"),
        .swift("L2CAP", uses: "Bluetooth"),
        .swift("SecurityManager", uses: "Bluetooth", "Cryptography"),
        .swift("LEHost", uses: "GATT", "HCI", "L2CAP", "SecurityManager"),
        .swift("VirtualRadio", uses: "Cryptography", "HCI")),
    Floor(
        "Platform",
        .system("CDBus", pkgConfig: "dbus-1"), .c("CMicrohttpd"),
        .swift("Sockets", uses: "HCI"),
        .swift("DBus", uses: "Basics", "CDBus"),
        .swift("Linux", uses: "Basics"),
        .swift("HTTP", uses: "CMicrohttpd", "Sockets")),
    Floor(
        "Devices",
        .swift("Devices", uses: "Characteristics", "Documents", "GATT"),
        .swift("Services", uses: "Devices")),
    Floor(
        "Scenario",
        .swift("ScenarioModel", uses: "SecurityManager", "Services"),
        .swift("ScenarioLanguage", uses: "ScenarioModel"),
        .swift("ScenarioReference", uses: "ScenarioLanguage"),
        .swift("DeviceRecording", uses: "LEHost", "ScenarioLanguage")),
    Floor(
        "Engine",
        .swift("VirtualWorld", uses: "LEHost", "ScenarioLanguage", "VirtualRadio"),
        .swift("Clients", uses: "VirtualWorld"),
        .swift("AppleBluetooth", uses: "Characteristics", "LEHost")),
    Floor(
        "Facades",
        .system("COSLog"), .c("CVirtualTime"),
        .apple("CoreBluetooth", uses: "AppleBluetooth", "Sockets"),
        .apple("CoreBluetoothMock", uses: "CoreBluetooth"),
        .swift("os", uses: "COSLog")),
    Floor(
        "Doors",
        .system("CBluetooth"),
        .swift("BlueZ", uses: "DBus", "LEHost"),
        .swift("Drivers", uses: "BlueZ", "CBluetooth", "Clients", "Linux", "Sockets")),
    Floor(
        "Verdicts",
        .swift("Expectations", uses: "VirtualWorld"),
        .swift("Checks", uses: "Expectations"),
        .swift("CheckCatalogue", uses: "Checks")),
    Floor(
        "Tool",
        .swift("CommandSupport", uses: "Linux", "Sockets"),
        .swift("Conformance", uses: "Expectations"),
        .swift("Reporting", uses: "CommandSupport", "Conformance", embedding: "HTML/page.css"),
        .swift("ScenarioRuns", uses: "Drivers", "Reporting"),
        .swift(
            "Screens", uses: "HTTP", "ScenarioReference", "ScenarioRuns", embedding: "LivePage/page.html"),
        .swift("ClientTesting", uses: "Screens"),
        .swift("PeripheralTesting", uses: "CheckCatalogue", "Screens", embedding: "known-deviations.json"),
        .swift("Benchmarks", uses: "ClientTesting", embedding: "bumble.py"),
        .swift(
            "CommandLineTool", uses: "Benchmarks", "CheckCatalogue", "DeviceRecording", "PeripheralTesting",
            embedding: "Templates/Files/strap.json", "Templates/Files/thermometer.json",
            "Templates/Files/fitness.json", "Templates/Files/ecg.json", "Templates/Files/custom.json",
            "Templates/Files/suite.json", "Templates/Files/bumble_client.py", "Templates/Files/bleak_client.py"),
        .program("lubdub", uses: "CommandLineTool"),
        .apple("LubdubTesting", uses: "Conformance", "CoreBluetooth", "CVirtualTime")),
]

/// What tests and examples share: each module with its folder, and the modules that it uses.
let shared: [Module] = [
    .shared("Mutations"), .shared("EventLogs", uses: "ScenarioModel"), .shared("TestBus", uses: "Bluetooth", "DBus"),
    .shared("Fuzzing"),
    .example("Adapters", uses: "DBus"), .example("Battery", uses: "GATT"),
    .example("Measurement", uses: "Characteristics"), .example("Scanner", uses: "LEHost", "Sockets", "VirtualRadio"),
    .example("BatteryPeripheral", uses: "Battery", "LEHost", "Sockets"),
]

/// The tests of a module, in `Tests/<module>Tests`: what they use besides it, and files there that are not Swift.
let tests: [Tests] = [
    Tests("ATT", "Mutations"), Tests("AppleBluetooth"), Tests("Basics"),
    Tests("BlueZ", "TestBus"), Tests("Bluetooth", "Mutations"), Tests("Characteristics", "Mutations"),
    Tests("Checks", "CheckCatalogue"), Tests("ClientTesting", "CommandLineTool"), Tests("Clients"),
    Tests("CommandLineTool"), Tests("CommandSupport"), Tests("Conformance"),
    Tests("CoreBluetooth", "CoreBluetoothMock", "LubdubTesting", excluding: "Scenarios"),
    Tests("Cryptography"), Tests("DBus", "Sockets", "TestBus"), Tests("DeviceRecording", "Checks"),
    Tests("Devices", "Services"), Tests("Documents", "Mutations"),
    Tests("Drivers", "Expectations", "Mutations"), Tests("Expectations", "EventLogs"), Tests("GATT", "Mutations"),
    Tests("HCI", "Mutations"), Tests("HTTP"), Tests("L2CAP", "Mutations"), Tests("Linux"),
    Tests("LEHost", "Mutations", "VirtualRadio"), Tests("PeripheralTesting", "CommandLineTool", "TestBus"),
    Tests("Reporting", "Mutations"),
    Tests("ScenarioLanguage", "Mutations", excluding: "Broken", "Fixtures", "Mistakes.txt"),
    Tests("ScenarioModel"), Tests("ScenarioReference"), Tests("ScenarioRuns"),
    Tests("Screens", excluding: "Terminal/Screens"),
    Tests("SecurityManager", "Mutations", excluding: "pairings.txt"), Tests("Services"), Tests("Sockets"),
    Tests("VirtualRadio", "Mutations"), Tests("VirtualWorld", "Clients", "EventLogs", "Reporting"), Tests("os"),
    Tests("Examples", "Adapters", "BatteryPeripheral", "Measurement", "Scanner", "TestBus"), Tests("Tidy"),
]

/// The programs of `make fuzz` with their readers in `Tests/FuzzingTests`, which are tests, too.
///
/// libFuzzer looks at all counters of a program after each run: so the readers of small modules have programs of their own.
let fuzzers: [Fuzzer] = [
    Fuzzer("Packets", reading: "Packets", uses: "ATT", "HCI", "L2CAP"),
    Fuzzer(
        "Hosts",
        reading: "AlteredPairing", "ClientConversation", "ControllerConversation", "HostConversation",
        "PairingConversation", "ServerConversation",
        uses: "Characteristics", "LEHost", "VirtualRadio"),
    Fuzzer("Values", reading: "Values", uses: "Services"),
    Fuzzer("Bus", reading: "BusMessages", uses: "BlueZ", "HCI"),
    Fuzzer("JSON", reading: "JSON", uses: "Documents"),
    Fuzzer("Files", reading: "Records", "ScenarioText", "Texts", uses: "CommandLineTool"),
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

struct Floor {
    let name: String
    let modules: [Module]

    init(_ name: String, _ modules: Module...) { (self.name, self.modules) = (name, modules) }
}

/// A module, and how it becomes a target, given where its folder is and all modules that it uses.
struct Module {
    let name: String
    let uses: [String]
    /// The folder of its folder, if it is on no floor.
    var place: String?
    let target: (_ path: String, _ uses: [Target.Dependency], _ settings: [SwiftSetting]) -> Target

    /// `embedding`: files whose octets are constants of the module, by `PackageResources`.
    static func swift(_ name: String, uses: String..., embedding files: String...) -> Module {
        Module(name: name, uses: uses) { path, uses, settings in
            .target(
                name: name, dependencies: uses, path: path, resources: files.map { .embedInCode($0) },
                swiftSettings: houseRules + settings)
        }
    }

    /// A module whose declarations are Apple's, with classes that are not Sendable: Swift 5, which does not check that.
    static func apple(_ name: String, uses: String...) -> Module {
        Module(name: name, uses: uses) { path, uses, _ in
            .target(
                name: name, dependencies: uses, path: path, swiftSettings: houseRules + [.swiftLanguageMode(.v5)])
        }
    }

    static func program(_ name: String, uses: String...) -> Module {
        Module(name: name, uses: uses) { path, uses, _ in
            .executableTarget(name: name, dependencies: uses, path: path, swiftSettings: houseRules)
        }
    }

    static func c(_ name: String) -> Module {
        Module(name: name, uses: []) { path, _, _ in .target(name: name, path: path) }
    }

    static func system(_ name: String, pkgConfig: String? = nil) -> Module {
        Module(name: name, uses: []) { path, _, _ in .systemLibrary(name: name, path: path, pkgConfig: pkgConfig) }
    }

    /// What tests of several modules share.
    static func shared(_ name: String, uses: String...) -> Module {
        Module(name: name, uses: uses, place: "Tests") { path, uses, _ in
            .target(name: name, dependencies: uses, path: path, swiftSettings: houseRules)
        }
    }

    /// An example for other packages, with their settings.
    static func example(_ name: String, uses: String...) -> Module {
        Module(name: name, uses: uses, place: "Examples/Sources") { path, uses, _ in
            .target(
                name: name, dependencies: uses, path: path, swiftSettings: [.treatAllWarnings(as: .error)])
        }
    }
}

struct Tests {
    let module: String
    let uses: [String]
    let excluded: [String]

    init(_ module: String, _ uses: String..., excluding files: String...) {
        (self.module, self.uses, excluded) = (module, uses, files)
    }
}

struct Fuzzer {
    let name: String
    let files: [String]
    let uses: [String]

    init(_ name: String, reading files: String..., uses: String...) {
        (self.name, self.files, self.uses) = (name, files, uses)
    }
}

let houseRules: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The targets so far, and for each module all that it uses.
struct House {
    private(set) var targets: [Target] = []
    private var reach: [String: Set<String>] = [:]

    /// These modules and all that they use, which a library contains, except for C's.
    func library(_ names: [String]) -> [String] {
        let systems = targets.filter { $0.type == .system }.map(\.name)
        return Set(names).union(names.flatMap { reach[$0] ?? [] }).subtracting(systems).sorted()
    }

    /// These modules, and all that they use.
    func all(_ names: [String], for user: String) -> [Target.Dependency] {
        let modules = names.reduce(into: Set<String>()) { modules, name in
            guard let below = reach[name] else {
                print("\(user) uses \(name), which does not come before it in Package.swift")
                exit(1)
            }
            modules.formUnion(below.union([name]))
        }
        return modules.sorted().map { .target(name: $0) }
    }

    mutating func add(_ module: Module, in folder: String, _ settings: [SwiftSetting] = []) {
        let uses = all(module.uses, for: module.name)
        reach[module.name] = module.uses.reduce(into: Set(module.uses)) { $0.formUnion(reach[$1] ?? []) }
        targets.append(module.target("\(folder)/\(module.name)", uses, settings))
    }

    mutating func add(_ tests: Tests) {
        // The tests of Apple's modules are written as apps are.
        let isApple = tests.module == "CoreBluetooth"
        let own = reach[tests.module] == nil ? [] : [tests.module]
        targets.append(
            .testTarget(
                name: "\(tests.module)Tests", dependencies: all(own + tests.uses, for: "\(tests.module)Tests"),
                exclude: tests.excluded,
                swiftSettings: isApple ? [.treatAllWarnings(as: .error), .swiftLanguageMode(.v5)] : houseRules))
    }

    /// The readers of the fuzzers as a test.
    mutating func addTests(of fuzzers: [Fuzzer]) {
        targets.append(
            .testTarget(
                name: "FuzzingTests", dependencies: all(["Fuzzing"] + fuzzers.flatMap(\.uses), for: "FuzzingTests"),
                exclude: [
                    "CFuzzer", "Driver", "Programs", "Corpus", "Crashes", "Codecs.txt", "Seeds.txt", "Unreached.txt",
                ],
                swiftSettings: houseRules))
    }

    mutating func addPrograms(of fuzzers: [Fuzzer]) {
        targets += [
            .systemLibrary(name: "CFuzzer", path: "Tests/FuzzingTests/CFuzzer"),
            .target(
                name: "FuzzDriver", dependencies: ["CFuzzer", "Fuzzing"], path: "Tests/FuzzingTests/Driver",
                swiftSettings: houseRules),
        ]
        for fuzzer in fuzzers {
            targets.append(
                .executableTarget(
                    name: "fuzz\(fuzzer.name)",
                    dependencies: ["FuzzDriver"] + all(["Fuzzing"] + fuzzer.uses, for: fuzzer.name),
                    path: "Tests/FuzzingTests",
                    sources: fuzzer.files.map { "Readers/\($0).swift" } + ["Programs/\(fuzzer.name)Program.swift"],
                    swiftSettings: houseRules))
        }
    }
}

var house = House()
for floor in floors {
    let isOptimized = isOptimizing && !unoptimizedFloors.contains(floor.name)
    let flags = isOptimized ? ["-O", "-assert-config", "Debug"] : []
    for module in floor.modules {
        house.add(
            module, in: "Sources/\(floor.name)",
            flags.isEmpty ? [] : [.unsafeFlags(flags, .when(configuration: .debug))])
    }
}
for module in shared { house.add(module, in: module.place ?? "") }
tests.forEach { house.add($0) }
if isFuzzing { house.addPrograms(of: fuzzers) } else { house.addTests(of: fuzzers) }

let package = Package(
    name: "Lubdub",
    products: libraries.map { .library(name: $0, targets: house.library($1)) },
    targets: house.targets, swiftLanguageModes: [.v6])
