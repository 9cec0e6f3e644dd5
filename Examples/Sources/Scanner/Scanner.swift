import Basics
import Bluetooth
import HCI
import LEHost

/// Advertises with one host, scans with another for a virtual second, and returns the reports.
public func scanForOneSecond() throws -> [AdvertisingReport] {
    let loop = EventLoop(pace: .virtual)  // takes milliseconds; .real() would take a second
    let air = VirtualAir(on: loop)
    return try loop.run {
        let strap = await air.addHost(DeviceAddress(0xC0FF_EE00_0001, .public))
        let phone = await air.addHost(DeviceAddress(0xC0FF_EE00_0002, .public))
        let interval = AdvertisingParameters(minimumInterval: 160, maximumInterval: 160)  // 100 ms
        let data: [UInt8] = [2, 0x01, 0x06, 3, 0x03, 0x0D, 0x18]  // Flags; Heart Rate Service
        await air.perform(.advertise(interval, data: data, scanResponse: []), of: strap)
        let scan = ScanParameters(isActive: false, interval: 0x60, window: 0x60)  // all the time
        await air.perform(.scan(scan, filterDuplicates: false), of: phone)
        try await loop.sleep(for: .seconds(1))
        return await air.reports
    }
}
