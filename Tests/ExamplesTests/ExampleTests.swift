import Adapters
import Basics
import Battery
import BatteryPeripheral
import Bluetooth
import DBus
import GATT
import HCI
import Measurement
import Scanner
import TestBus
import Testing

/// The examples of the libraries' articles.
@Suite struct ExampleTests {
    @Test func `A measurement is encoded and decoded`() {
        #expect(encodedMeasurement() == [0x16, 0x48, 0x55, 0x03, 0x48, 0x03])
        #expect(text(of: encodedMeasurement()) == "72 bpm")
        #expect(text(of: [0x16]).hasPrefix("malformed: octet 1: Heart Rate Measurement Value"))
    }

    @Test func `A GATT server answers requests`() throws {
        var battery = Battery(level: 87)
        #expect(try response(to: [0x0A, 0x03, 0x00], from: &battery) == [0x0B, 87])
        #expect(try response(to: [0x12, 0x03, 0x00, 1], from: &battery) == [0x01, 0x12, 0x03, 0x00, 0x03])
        #expect(try response(to: [0x52, 0x03, 0x00, 1], from: &battery) == nil)
    }

    @Test func `A peripheral above a controller at a TCP port is found, and its battery read`() throws {
        let loop = EventLoop(pace: .real())
        let value = try loop.run {
            try await loop.withTimeout(.seconds(30)) {
                let (values, continuation) = AsyncStream.makeStream(of: Result<[UInt8], Procedure.Failure>.self)
                let controller = TCPController(on: loop, reading: .batteryLevel) { continuation.yield($0) }
                let peripheral = try BatteryPeripheral(controller: try await controller.listen(), on: loop)
                await peripheral.start()
                let value = await values.first { _ in true }
                await peripheral.close()
                await controller.close()
                return value
            }
        }
        #expect(value == .success([87]))
    }

    @Test func `A scanner in virtual time receives an advertiser ten times a second, and every time alike`() throws {
        let reports = try scanForOneSecond()
        #expect((8...10).contains(reports.count))  // advertising events have a random delay of up to 10 ms
        for report in reports {
            #expect(report.address == DeviceAddress(0xC0FF_EE00_0001, .public))
            #expect(report.data == [2, 0x01, 0x06, 3, 0x03, 0x0D, 0x18])
        }
        #expect(try scanForOneSecond() == reports)
    }

    @Test(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)"))
    func `bluetoothd's adapters are listed`() throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            let found = try await adapters(on: bus.address, loop)
            #expect(found.map(\.path) == [FakeRadio.adapter])
            #expect(found.map(\.isPowered) == [true])
            await radio.connection.close()
        }
    }
}
