import CoreBluetooth
import Foundation
import LubdubTesting
import Testing

/// The page of Apple's documentation that a test's rule is from, below developer.apple.com/documentation/corebluetooth.
struct Page: TestTrait {
    let path: String
}

extension Trait where Self == Page {
    static func page(_ path: String) -> Page { Page(path: path) }
}

/// The scenario `Scenarios/lamp.json`.
let lamp = String(#filePath.dropLast("Page.swift".count)) + "Scenarios/lamp"

/// UUIDs of the lamp.
enum Lamp {
    static let light = "7D1C0001-5B0E-4C43-9A57-2F6B8E1D9C30"
    static let level = "7D1C0002-5B0E-4C43-9A57-2F6B8E1D9C30"
    static let label = "7D1C0004-5B0E-4C43-9A57-2F6B8E1D9C30"
    static let meter = "7D1C0005-5B0E-4C43-9A57-2F6B8E1D9C30"
    static let watts = "7D1C0006-5B0E-4C43-9A57-2F6B8E1D9C30"
    static let lock = "7D1C0007-5B0E-4C43-9A57-2F6B8E1D9C30"
    static let hours = "7D1C0008-5B0E-4C43-9A57-2F6B8E1D9C30"
    static let other = "7D1C0003-5B0E-4C43-9A57-2F6B8E1D9C30"
}

extension Central {
    /// Scans, connects to the first peripheral, and discovers its services and characteristics.
    static func explorer() -> Central { Central { $0.explore(after: $1) } }

    func explore(after call: String) {
        switch call {
        case "state poweredOn": manager.scanForPeripherals(withServices: nil)
        case let call where call.hasPrefix("didDiscover Lubdub"):
            manager.stopScan()
            if let peripheral { manager.connect(peripheral) }
        case "didConnect": peripheral?.discoverServices(nil)
        case "didDiscoverServices":
            for service in peripheral?.services ?? [] { peripheral?.discoverCharacteristics(nil, for: service) }
        default: break
        }
    }

    /// Whether the characteristics of all services are known.
    var isReady: Bool {
        guard let services = peripheral?.services, !services.isEmpty else { return false }
        return services.allSatisfy { $0.characteristics != nil }
    }

    /// The last error as Apple's type.
    var lastError: CBError.Code? { (errors.last as? CBError)?.code }
    var lastATTError: CBATTError.Code? { (errors.last as? CBATTError)?.code }
}

/// Runs a test with a central that has explored the first device of a scenario.
@MainActor func explored(
    _ scenario: String = lamp, _ body: @MainActor (SimulatedWorld, Central, CBPeripheral) async throws -> Void
) async throws {
    try await withScenario(scenario) { world in
        let central = Central.explorer()
        await world.run(until: { central.isReady }, within: .seconds(10))
        await world.run(for: .seconds(1))
        central.clear()
        try await body(world, central, try #require(central.peripheral))
    }
}

/// All tests of the module: one radio at a time.
@Suite(.serialized) enum CoreBluetoothTests {}
