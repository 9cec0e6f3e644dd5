import Adapters
import Basics
import Battery
import BatteryPeripheral
import Bluetooth
import HCI
import Measurement
import Scanner
import Sockets

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.dropFirst().first) {
case ("measurement", nil):
    print(encodedMeasurement().hex, "is", text(of: encodedMeasurement()))
case ("battery", nil):
    var battery = Battery(level: 87)
    print("Read Request 0A 03 00:", try response(to: [0x0A, 0x03, 0x00], from: &battery)?.hex ?? "no response")
case ("scan", nil):
    for report in try scanForOneSecond() { print(report.address, report.rssi, "dBm:", report.data.hex) }
case ("serve", let address?):
    let loop = EventLoop(pace: .real())
    let peripheral = try BatteryPeripheral(controller: StreamAddress(address), on: loop)
    try loop.run {
        await peripheral.start()
        try await loop.sleep(for: .seconds(3600))
    }
case ("adapters", nil):
    let loop = EventLoop(pace: .real())
    for adapter in try loop.run({ try await adapters(loop) }) {
        print(adapter.path, adapter.isPowered ? "powered" : "not powered")
    }
default:
    print("usage: examples measurement | battery | scan | serve tcp:HOST:PORT | adapters")
}
