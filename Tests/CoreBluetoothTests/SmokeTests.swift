import CoreBluetooth
import Foundation
import LubdubTesting
import Testing

@Suite(.serialized) @MainActor struct SmokeTests {
    @Test func `Reads heart rates`() async throws {
        try await withScenario("resting") { world in
            let central = Central { central, call in
                switch call {
                case "state poweredOn": central.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
                case "didDiscover Lubdub HRM":
                    central.manager.stopScan()
                    if let peripheral = central.peripheral { central.manager.connect(peripheral) }
                case "didConnect": central.peripheral?.discoverServices([CBUUID(string: "180D")])
                case "didDiscoverServices":
                    if let service = central.peripheral?.services?.first {
                        central.peripheral?.discoverCharacteristics(nil, for: service)
                    }
                case "didDiscoverCharacteristics 180D":
                    if let value = central.characteristic("2A37") { central.peripheral?.setNotifyValue(true, for: value) }
                default: break
                }
            }
            await world.run(for: .seconds(10))
            print(central.calls, world.now)
            let date = Date()
            try await Task.sleep(for: .zero)
            print(date)
            await world.run(until: { central.values.count > 100 }, within: .seconds(1000))
            print(central.values.count, world.now, Date().timeIntervalSince(date))
            let start = DispatchTime.now()
            await world.run(for: .seconds(3600))
            print(central.values.count, world.now, start)
        }
    }
}
