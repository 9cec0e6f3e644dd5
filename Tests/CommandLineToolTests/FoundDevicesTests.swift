import Bluetooth
import Clients
import CommandSupport
import Testing

@testable import CommandLineTool

@Suite struct FoundDevicesTests {
    private static func update(
        _ address: String, _ name: String?, _ services: [UUID] = [.heartRate], rssi: Int8?
    ) throws -> SensorCollector.Update {
        let address = try #require(DeviceAddress(address))
        return SensorCollector.Update(
            .found(services: services, rssi: rssi), of: SensorCollector.Peer(address, name: name))
    }

    @Test func `Each device has one row, the strongest first`() throws {
        var devices = FoundDevices()
        #expect(devices.table(Paint(isOn: false)).isEmpty && devices.json.isEmpty)
        devices.add(try Self.update("C0:FF:EE:00:00:01/random", nil, rssi: -70))
        devices.add(try Self.update("C0:FF:EE:00:00:02/public", "心拍\u{1B}[31m", [], rssi: -50))
        devices.add(try Self.update("C0:FF:EE:00:00:03/public", "Far", rssi: nil))
        devices.add(try Self.update("C0:FF:EE:00:00:01/random", "Strap", rssi: -71))
        devices.add(SensorCollector.Update(.state(.scanning)))
        #expect(devices.count == 3)
        #expect(
            devices.table(Paint(isOn: false)).map(\.description) == [
                "name            address                   services  rssi",
                #"心拍\u001b[31m  C0:FF:EE:00:00:02/public  -         -50 dBm"#,
                "Strap           C0:FF:EE:00:00:01/random  180D      -71 dBm",
                "Far             C0:FF:EE:00:00:03/public  180D      -",
            ])
        #expect(
            devices.json.map(\.description) == [
                #"{"found": {"name": "心拍\u001b[31m", "services": [], "rssi": -50}, "peer": "C0:FF:EE:00:00:02/public"}"#,
                #"{"found": {"name": "Strap", "services": ["180D"], "rssi": -71}, "peer": "C0:FF:EE:00:00:01/random"}"#,
                #"{"found": {"name": "Far", "services": ["180D"], "rssi": null}, "peer": "C0:FF:EE:00:00:03/public"}"#,
            ])
    }
}
