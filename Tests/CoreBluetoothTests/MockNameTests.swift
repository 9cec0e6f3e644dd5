import CoreBluetoothMock
import Foundation
import LubdubTesting
import Testing

extension CoreBluetoothTests {
    /// Code that is written with the names of Nordic's CoreBluetoothMock.
    @Suite @MainActor struct MockNameTests {
        private final class Reader: NSObject, CBMCentralManagerDelegate, CBMPeripheralDelegate {
            private(set) var manager: CBMCentralManager?
            private(set) var strap: CBMPeripheral?
            private(set) var name: String?

            func start() { manager = CBMCentralManagerFactory.instance(delegate: self, queue: .main, forceMock: true) }

            func centralManagerDidUpdateState(_ central: CBMCentralManager) {
                if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBMUUID(string: "180D")]) }
            }

            func centralManager(
                _ central: CBMCentralManager, didDiscover peripheral: CBMPeripheral,
                advertisementData: [String: Any], rssi: NSNumber
            ) {
                name = advertisementData[CBMAdvertisementDataLocalNameKey] as? String
                strap = peripheral
                central.connect(peripheral)
            }
        }

        @Test func `The mock's names mean Apple's types`() async throws {
            try await withScenario("resting") { world in
                let reader = Reader()
                reader.start()
                await world.run(until: { reader.strap?.state == .connected }, within: .seconds(10))
                #expect(reader.name == "Lubdub HRM")
            }
        }
    }
}
