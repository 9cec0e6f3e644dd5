package import Basics
package import Bluetooth

/// A measurement that a device broadcasts in its advertising data, for anybody who listens.
///
/// Companies define most layouts; these are known. Core Specification Supplement 12, Part A, sections 1.4 and 1.11.
///
/// | AD structure                 | its data                                                           | source |
/// |------------------------------|--------------------------------------------------------------------|--------|
/// | company 0x006B, Polar        | records: flags (bit 1 contact, bits 2 to 4 counter, bit 6 set: another record, whose length follows), 1 octet, heart rate, slower average | github.com/polarofficial/polar-ble-sdk, BlePolarHrAdvertisement and BleAdvertisementContent |
/// | company 0x0157, Huami        | 24 octets; octet 3 is the heart rate, 0xFF for none                | github.com/custom-components/ble_monitor, amazfit.py |
/// | service 0xFCD2, BTHome v2    | device information, and then objects: a number and its value       | bthome.io/format; github.com/Bluetooth-Devices/bthome-ble |
/// | service 0x180F, Battery      | the level in percent                                               | Battery Service 1.1, section 3.1 |
package struct AdvertisedMeasurement: Hashable, Sendable {
    /// In beats per minute; 0 if the device has none.
    package var heartRate: UInt8?
    package var contact: Bool?
    /// In percent, also above 100.
    package var battery: UInt8?
    /// In degrees Celsius.
    package var temperature: Double?
    /// In percent.
    package var humidity: Double?

    /// The measurement in advertising or scan response data; nil if there is none that is known.
    package init?(_ data: AdvertisingData) {
        for (company, octets) in data.allManufacturerData {
            switch company {
            case 0x006B: takePolar(octets[...])
            case 0x0157: takeHuami(octets)
            default: break
            }
        }
        for (service, octets) in data.allServiceData {
            switch service {
            case UUID(0xFCD2): takeBTHome(octets[...])
            case .battery: if octets.count == 1 { battery = octets[0] }
            default: break
            }
        }
        if isEmpty { return nil }
    }

    private var isEmpty: Bool { heartRate == nil && battery == nil && temperature == nil && humidity == nil }

    /// The members of `new` that are there, and else those of this.
    package func updated(by new: Self) -> Self {
        var updated = self
        if let rate = new.heartRate { (updated.heartRate, updated.contact) = (rate, new.contact) }
        updated.battery = new.battery ?? battery
        updated.temperature = new.temperature ?? temperature
        updated.humidity = new.humidity ?? humidity
        return updated
    }

    // MARK: Layouts

    private mutating func takePolar(_ octets: ArraySlice<UInt8>) {
        var rest = octets
        while let flags = rest.first, flags & 0x40 != 0 {
            rest.removeFirst()
            guard let length = rest.popFirst() else { return }
            rest = rest.dropFirst(Int(length))
        }
        let record = Array(rest.prefix(4))
        guard record.count >= 3 else { return }
        (heartRate, contact) = (record.count == 4 ? record[3] : record[2], record[0] & 0b10 != 0)
    }

    private mutating func takeHuami(_ octets: [UInt8]) {
        guard octets.count == 24 else { return }
        heartRate = octets[3] == 0xFF ? 0 : octets[3]
    }

    /// Encrypted data, and those after an object of unknown length, are left out.
    private mutating func takeBTHome(_ octets: ArraySlice<UInt8>) {
        guard let information = octets.first, information >> 5 == 2, information & 1 == 0 else { return }
        var rest = octets.dropFirst(information & 0b10 == 0 ? 1 : 7)
        while let object = rest.popFirst() {
            guard let count = Self.lengths[object], rest.count >= count else { return }
            let value = rest.prefix(count).reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
            let signed = Double(Int16(truncatingIfNeeded: value))
            rest = rest.dropFirst(count)
            switch object {
            case 0x01: battery = UInt8(truncatingIfNeeded: value)
            case 0x02: temperature = signed / 100
            case 0x03: humidity = Double(value) / 100
            case 0x2E: humidity = Double(value)
            case 0x45: temperature = signed / 10
            case 0x57: temperature = Double(Int8(truncatingIfNeeded: value))
            default: break
            }
        }
    }

    /// The lengths of BTHome's objects, by their numbers, which are in increasing order.
    private static let lengths: [UInt8: Int] = {
        var lengths: [UInt8: Int] = [:]
        for object in [0x00, 0x01, 0x09, 0x46, 0x57, 0x60] + Array(0x0F...0x11) + Array(0x15...0x2F) {
            lengths[UInt8(object)] = 1
        }
        for object in [0x02, 0x03, 0x06, 0x07, 0x08, 0x0C, 0x0D, 0x0E, 0x12, 0x13, 0x14, 0x3D, 0x3F, 0x40, 0x41, 0x43]
            + [0x44, 0x45, 0x47, 0x48, 0x49, 0x4A, 0x51, 0x52, 0x56]
        {
            lengths[UInt8(object)] = 2
        }
        for object in [0x04, 0x05, 0x0A, 0x0B, 0x42, 0x4B] { lengths[UInt8(object)] = 3 }
        for object in [0x3E, 0x4C, 0x4D, 0x4E, 0x4F, 0x50, 0x55] { lengths[UInt8(object)] = 4 }
        return lengths
    }()
}

extension AdvertisedMeasurement {
    /// Writes what it has: `{"heart_rate": 72, "contact": true}`; a heart rate of 0 is `null`.
    package func write(to text: inout JSONText) {
        var separator: StaticString = "{\""
        func begin(_ key: StaticString, _ text: inout JSONText) {
            text.append(separator)
            text.append(key)
            text.append("\": ")
            separator = ", \""
        }
        if let heartRate {
            begin("heart_rate", &text)
            text.append(text: heartRate == 0 ? "null" : "\(heartRate)")
        }
        if let contact {
            begin("contact", &text)
            text.append(contact ? "true" : "false")
        }
        if let battery {
            begin("battery", &text)
            text.append(text: "\(battery)")
        }
        if let temperature {
            begin("temperature", &text)
            text.append(celsius: temperature)
        }
        if let humidity {
            begin("humidity", &text)
            text.append(decimal: humidity)
        }
        text.append("}")
    }

    /// `72 bpm, contact, battery 87 %`.
    package var words: String {
        var text = JSONText()
        func decimal(_ number: Double) -> String {
            text = JSONText()
            text.append(decimal: number)
            return text.string
        }
        return [
            heartRate.map { $0 == 0 ? "no heart rate" : "\($0) bpm" }, contact.map { $0 ? "contact" : "no contact" },
            battery.map { "battery \($0) %" }, temperature.map { "\(decimal($0)) °C" },
            humidity.map { "humidity \(decimal($0)) %" },
        ].compactMap(\.self).joined(separator: ", ")
    }
}
