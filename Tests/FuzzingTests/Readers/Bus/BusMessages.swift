import ATT
import BlueZNames
import Bluetooth
import CLubdubDBus
import Fuzzing
import GATT
import HCI

@testable import BlueZ
@testable import DBus

extension Reader {
    static let message = Reader(
        "message", "D-Bus messages as libdbus unmarshals them: values are written as they are read, or rejected"
    ) { octets throws(Broken) in
        guard let message = unmarshalled(octets) else { return }
        _ = (message.kind, message.sender, message.path, message.interface, message.member)
        guard let values = try? message.values(), (try? values.checkedSignature()) != nil else { return }
        let again = Message(signal: "Changed", of: "a.b", at: "/")
        again.append(values)
        // NaN differs from itself.
        try require(
            (try? again.values()).map { "\($0)" } == "\(values)", "\(values) are written as another message")
    }

    static let names = Reader("names", "D-Bus names and signatures: what is valid here is valid for libdbus") {
        octets throws(Broken) in
        guard let text = String(validating: octets, as: UTF8.self), !octets.contains(0) else { return }
        let rules: [(name: String, isValid: Bool, isValidThere: Bool)] = [
            ("path", (try? ObjectPath(text)) != nil, unsafe dbus_validate_path(text, nil) != 0),
            ("interface", (try? InterfaceName(text)) != nil, unsafe dbus_validate_interface(text, nil) != 0),
            ("member", (try? MemberName(text)) != nil, unsafe dbus_validate_member(text, nil) != 0),
            ("bus name", (try? BusName(text)) != nil, unsafe dbus_validate_bus_name(text, nil) != 0),
            ("error name", (try? ErrorName(text)) != nil, unsafe dbus_validate_error_name(text, nil) != 0),
            ("signature", (try? Signature(text)) != nil, unsafe dbus_signature_validate(text, nil) != 0),
        ]
        for rule in rules where rule.isValid {
            try require(rule.isValidThere, "libdbus rejects the \(rule.name) \(text)")
        }
        if let signature = try? Signature(text) {
            try require(signature.description == text, "\(text) is written as \(signature)")
        }
    }

    static let objects = Reader(
        "objects", "objects of bluetoothd, in a D-Bus message: handles rise, and reports of devices are valid"
    ) { octets throws(Broken) in
        guard let message = unmarshalled(octets), let values = try? message.values() else { return }
        var objects: [(path: ObjectPath, interfaces: Value)] = []
        for entry in values.first?.entries ?? [] {
            guard let path = entry.key.path else { continue }
            objects.append((path, entry.value))
            _ = Adapter(path, entry.value)
            if let device = entry.value[.device].flatMap({ RemoteDevice(path, $0) }) { try check(device) }
        }
        for device in Set(objects.map(\.path)).sorted().prefix(8) {
            if let attributes = try? RemoteAttributes(objects, of: device) { try check(attributes) }
        }
    }

    static func unmarshalled(_ octets: [UInt8]) -> Message? {
        let raw = unsafe octets.withUnsafeBytes { octets in
            unsafe dbus_message_demarshal(octets.baseAddress, CInt(octets.count), nil)
        }
        return unsafe raw.map { unsafe Message(adopting: $0) }
    }

    private static func check(_ device: RemoteDevice) throws(Broken) {
        let report = device.report()
        let data = try? AdvertisingData(octets: report.data, limit: .extended)
        try require(data?.octets == report.data, "the report of \(device) is not valid")
    }

    private static func check(_ attributes: RemoteAttributes) throws(Broken) {
        for service in attributes.services {
            var last = service.range.first
            try require(last <= service.range.last, "\(service) has no range")
            for characteristic in service.characteristics {
                let range = characteristic.range
                try require(last < range.first && range.last <= service.range.last, "\(service) has another order")
                try require(
                    attributes.location(of: characteristic.valueHandle) != nil, "\(characteristic) has no object")
                last = range.last
            }
        }
    }
}
