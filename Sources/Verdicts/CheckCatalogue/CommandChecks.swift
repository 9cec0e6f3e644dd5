import ATT
import Bluetooth
import Checks
import GATT

// Write Commands that a server ignores.  Core 6.0, Vol 3, Part F, section 3.4.5.3.
extension Check {
    static let commands = [
        Check(
            "GATT/SR/GAW/BI-39-C", "a Write Command that is too long is ignored", att("3.4.5.3")
        ) { peripheral throws(CheckExit) in try peripheral.expectLongCommandIgnored() }
    ]
}

extension Examiner {
    /// A value has a known length if the server rejects a Write Request with one octet more.
    fileprivate mutating func expectLongCommandIgnored() throws(CheckExit) {
        for value in applicationValues where value.properties.isSuperset(of: [.read, .write, .writeWithoutResponse]) {
            let handle = value.valueHandle
            guard let octets = try stableValue(handle), !octets.isEmpty, octets.count < mtu - 3 else { continue }
            let longer = octets.farAway + [0]
            let request = PDU.writeRequest(handle: handle, value: longer)
            let error = try refusal(of: request, "a write of one octet too many to \(value.uuid.name)")?.error
            if error == nil { try write(octets, to: handle, value.uuid.name) }
            guard error == .invalidAttributeValueLength else { continue }
            try expectSilence(
                after: PDU.writeCommand(handle: handle, value: longer).octets, "a Write Command that is too long")
            let after = try read(handle, value.uuid.name)
            let isWritten = after.agrees(with: longer)
            if isWritten { try write(octets, to: handle, value.uuid.name) }
            return try expectIgnored(value.uuid.name, octets, seen: after, ifWritten: isWritten)
        }
        throw .skipped("not applicable: no value for Read, Write and Write Without Response rejects one octet more")
    }
}
