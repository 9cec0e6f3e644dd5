import Bluetooth
import Peripheral
import Scenarios
import Sensors
import ServiceFramework
import Simulation

extension PeripheralDefinition {
    init(_ device: Scenarios.Device, begins: WallTime) {
        self.init(
            name: device.name, appearance: Appearance(device.advertising.payload.appearance ?? 0),
            services: device.services.map(\.configured))
        absentServices = device.services.indices.filter { !device.services[$0].isThereFromStart }
        clock = WallClock(begins: 946_684_800 + begins.secondsSince2000)
        preferredConnection = ConnectionParameters(device.link)
    }
}

extension ConnectionParameters {
    /// The preferred connection parameters of a device; nil for none. Missing keys get the defaults of Core 6.0, Vol 3,
    /// Part C, appendix A: 30 to 50 ms and latency 0; the timeout is 720 ms, or longer if the interval requires it.
    init?(_ link: Scenarios.Link) {
        guard link.interval != nil || link.latency != nil || link.timeout != nil else { return nil }
        let interval = link.interval.map { UInt16(clamping: $0.inNanoseconds / 1_250_000) }
        let (longest, latency) = (interval ?? 40, UInt16(clamping: link.latency ?? 0))
        // 10 ms · timeout > (1 + latency) · 2 · 1.25 ms · interval
        let least = (1 + Int(latency)) * Int(longest) / 4 + 1
        self.init(
            minimumInterval: interval ?? 24, maximumInterval: longest, latency: latency,
            supervisionTimeout: link.timeout.map { UInt16(clamping: $0.inNanoseconds / 10_000_000) }
                ?? UInt16(clamping: min(3200, max(72, least))))
    }
}
