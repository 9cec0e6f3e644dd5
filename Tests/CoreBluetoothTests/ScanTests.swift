import CoreBluetooth
import Foundation
import LubdubTesting
import Testing

extension CoreBluetoothTests {
    /// Scanning, and how peripherals are known.
    @Suite @MainActor struct ScanTests {
        private func scanned(
            _ scenario: String, services: [String]? = nil, options: [String: Any]? = nil,
            _ body: @MainActor (SimulatedWorld, Central) async throws -> Void
        ) async throws {
            try await withScenario(scenario) { world in
                let central = Central { central, call in
                    guard call == "state poweredOn" else { return }
                    central.manager.scanForPeripherals(
                        withServices: services?.map { CBUUID(string: $0) }, options: options)
                }
                await world.run(for: .seconds(5))
                try await body(world, central)
            }
        }

        @Test(.page("cbcentralmanager/scanforperipherals(withservices:options:)"))
        func `Without services, all peripherals are reported`() async throws {
            try await scanned("three_straps") { _, central in
                #expect(
                    central.peripherals.map(\.name).compactMap(\.self).sorted() == [
                        "Lubdub far", "Lubdub middle", "Lubdub near",
                    ])
            }
        }

        @Test(.page("cbcentralmanager/scanforperipherals(withservices:options:)"))
        func `With services, only peripherals that advertise one are reported`() async throws {
            try await scanned("three_straps", services: ["1809", "180D"]) { _, central in
                #expect(central.peripherals.count == 3)
            }
            try await scanned("three_straps", services: ["1809"]) { _, central in
                #expect(central.peripherals.isEmpty)
            }
        }

        @Test(.page("cbcentralmanagerscanoptionallowduplicateskey"))
        func `A peripheral is reported once, without the option`() async throws {
            try await scanned("resting") { _, central in #expect(central.count("didDiscover Lubdub HRM") == 1) }
        }

        @Test(.page("cbcentralmanagerscanoptionallowduplicateskey"))
        func `Each advertisement is reported, with the option`() async throws {
            let options = [CBCentralManagerScanOptionAllowDuplicatesKey: true]
            try await scanned("resting", options: options) { _, central in
                #expect((30...52).contains(central.count("didDiscover Lubdub HRM")))
                #expect(central.peripherals.count == 1)
            }
        }

        @Test(.page("cbcentralmanager/isscanning")) func `isScanning follows the scan`() async throws {
            try await scanned("resting") { _, central in
                #expect(central.manager.isScanning)
                central.manager.stopScan()
                #expect(!central.manager.isScanning)
            }
        }

        @Test(.page("cbcentralmanager/stopscan()")) func `After stopScan, nothing is reported`() async throws {
            let options = [CBCentralManagerScanOptionAllowDuplicatesKey: true]
            try await scanned("resting", options: options) { world, central in
                central.manager.stopScan()
                await world.run(for: .seconds(1))
                central.clear()
                await world.run(for: .seconds(5))
                #expect(central.calls.isEmpty)
            }
        }

        @Test(.page("cbcentralmanager/scanforperipherals(withservices:options:)"))
        func `A new scan replaces the present one`() async throws {
            try await scanned("resting", services: ["1809"]) { world, central in
                #expect(central.peripherals.isEmpty)
                central.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
                await world.run(for: .seconds(1))
                #expect(central.peripherals.count == 1)
            }
        }

        @Test(.page("cbcentralmanagerdelegate/centralmanager(_:diddiscover:advertisementdata:rssi:)"))
        func `The advertisement data contains the scan response`() async throws {
            try await scanned(lamp) { _, central in
                let data = try #require(central.advertisements.first)
                #expect(data[CBAdvertisementDataLocalNameKey] as? String == "Lubdub Lamp")
                #expect(data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: Lamp.light)])
            }
        }

        @Test(.page("cbadvertisementdatamanufacturerdatakey"))
        func `Values in manufacturer data are reported as they change, with the option`() async throws {
            let options = [CBCentralManagerScanOptionAllowDuplicatesKey: true]
            try await scanned("advertising/heart_rate", options: options) { world, central in
                await world.run(for: .seconds(60))
                var rates: [UInt8] = []
                for data in central.advertisements.compactMap({ $0[CBAdvertisementDataManufacturerDataKey] as? Data }) {
                    #expect(data.prefix(2) == Data([0x6B, 0]))
                    if rates.last != data.last { rates.append(data.last ?? 0) }
                }
                #expect(rates == [61, 96, 143, 187])
            }
        }

        @Test(.page("cbadvertisementdatatxpowerlevelkey")) func `The transmit power is an NSNumber`() async throws {
            try await scanned(lamp) { _, central in
                let power = central.advertisements.first?[CBAdvertisementDataTxPowerLevelKey] as? NSNumber
                #expect(power?.intValue == 4)
            }
        }

        @Test(.page("cbadvertisementdataisconnectable"))
        func `The data says whether the peripheral is connectable`() async throws {
            try await scanned(lamp) { _, central in
                let isConnectable = central.advertisements.first?[CBAdvertisementDataIsConnectable] as? NSNumber
                #expect(isConnectable?.boolValue == true)
            }
        }

        @Test(.page("cbcentralmanagerdelegate/centralmanager(_:diddiscover:advertisementdata:rssi:)"))
        func `The signal strength is in dBm`() async throws {
            try await withScenario("resting") { world in
                try world.perform(#"{"do": "rssi", "of": "strap", "to": -67}"#)
                let central = Central { central, call in
                    if call == "state poweredOn" { central.manager.scanForPeripherals(withServices: nil) }
                }
                await world.run(for: .seconds(2))
                #expect(central.strengths.first == -67)
            }
        }

        @Test(.page("cbperipheral/name")) func `The name is the advertised one`() async throws {
            try await scanned("resting") { _, central in #expect(central.peripheral?.name == "Lubdub HRM") }
        }

        @Test(.page("cbpeer/identifier")) func `A peripheral has the same identifier for each manager`() async throws {
            try await scanned("resting") { world, first in
                let second = Central { central, call in
                    if call == "state poweredOn" { central.manager.scanForPeripherals(withServices: nil) }
                }
                await world.run(for: .seconds(2))
                #expect(first.peripheral !== second.peripheral)
                #expect(first.peripheral?.identifier == second.peripheral?.identifier)
                #expect(first.peripheral?.identifier != nil)
            }
        }

        @Test(.page("cbcentralmanager/retrieveperipherals(withidentifiers:)"))
        func `A known peripheral is retrieved by its identifier, an unknown one is not`() async throws {
            try await scanned("resting") { _, central in
                let known = try #require(central.peripheral)
                let found = central.manager.retrievePeripherals(withIdentifiers: [UUID(), known.identifier])
                #expect(found.map(ObjectIdentifier.init) == [ObjectIdentifier(known)])
            }
        }

        @Test(.page("cbcentralmanager/retrieveperipherals(withidentifiers:)"))
        func `A retrieved peripheral connects without a scan, also in another run`() async throws {
            var identifier: UUID?
            try await scanned("resting") { _, central in identifier = central.peripheral?.identifier }
            let stored = try #require(identifier)
            try await withScenario("resting") { world in
                let central = Central { central, call in
                    guard call == "state poweredOn" else { return }
                    central.peripherals = central.manager.retrievePeripherals(withIdentifiers: [stored])
                    if let peripheral = central.peripheral { central.manager.connect(peripheral) }
                }
                await world.run(until: { central.calls.contains("didConnect") }, within: .seconds(5))
            }
        }

        @Test(.page("cbcentralmanager/retrieveconnectedperipherals(withservices:)"))
        func `Connected peripherals with a service are retrieved`() async throws {
            try await explored { world, central, peripheral in
                let found = central.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: Lamp.light)])
                #expect(found.map(\.identifier) == [peripheral.identifier])
                let other = central.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")])
                #expect(other.isEmpty)
                central.manager.cancelPeripheralConnection(peripheral)
                await world.run(for: .seconds(1))
                let none = central.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: Lamp.light)])
                #expect(none.isEmpty)
            }
        }

        @Test(.page("cbcentralmanager/retrieveconnectedperipherals(withservices:)"))
        func `A peripheral is connected until the last manager has left it`() async throws {
            try await explored { world, central, peripheral in
                let other = Central { other, call in
                    guard call == "state poweredOn" else { return }
                    other.peripherals = other.manager.retrieveConnectedPeripherals(withServices: [
                        CBUUID(string: Lamp.light)
                    ])
                    if let peripheral = other.peripheral { other.manager.connect(peripheral) }
                }
                await world.run(until: { other.calls.contains("didConnect") }, within: .seconds(5))
                central.manager.cancelPeripheralConnection(peripheral)
                await world.run(for: .seconds(1))
                let found = other.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: Lamp.light)])
                #expect(found.map(\.identifier) == [peripheral.identifier])
                if let peripheral = other.peripheral { other.manager.cancelPeripheralConnection(peripheral) }
                await world.run(for: .seconds(1))
                let none = other.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: Lamp.light)])
                #expect(none.isEmpty)
            }
        }

        @Test(.page("cbperipheral/name")) func `A retrieved peripheral has its name`() async throws {
            try await scanned("resting") { world, central in
                let identifier = try #require(central.peripheral?.identifier)
                let other = Central()
                await world.run(until: { other.manager.state == .poweredOn }, within: .seconds(1))
                central.release()
                for manager in [central.manager, other.manager] {
                    let found = manager.retrievePeripherals(withIdentifiers: [identifier])
                    #expect(found.map(\.name) == ["Lubdub HRM"])
                }
            }
        }

        @Test func `Connecting another manager's peripheral is a misuse`() async throws {
            try await scanned("resting") { world, central in
                let other = Central()
                await world.run(until: { other.manager.state == .poweredOn }, within: .seconds(1))
                let peripheral = try #require(central.peripheral)
                other.manager.connect(peripheral)
                #expect(peripheral.state == .disconnected)
                #expect(world.warnings.contains { $0.contains("is another manager's") })
            }
        }

        @Test func `A manager that is older than the scenario is a misuse`() async throws {
            var old: Central?
            try await scanned("resting") { _, central in old = central }
            try await withScenario("resting") { world in
                await world.run(for: .seconds(1))
                #expect(world.warnings.isEmpty)
                old?.manager.scanForPeripherals(withServices: nil)
                #expect(world.warnings.contains { $0.contains("create managers in each scenario") })
            }
        }
    }
}
