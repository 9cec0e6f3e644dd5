import ATT
import Basics
import Bluetooth
import GATT
import SystemBluetooth

// The words of the log.
extension SystemHarness {
    static func request(in acl: [UInt8], names: [UInt16: String]) -> String? {
        guard acl.count > 8, acl[6] == 4, acl[7] == 0 else { return nil }
        let pdu = Array(acl[8...])
        let handle = pdu.count > 2 ? UInt16(pdu[1]) | UInt16(pdu[2]) << 8 : 0
        let name = names[handle] ?? "\(handle)"
        switch pdu[0] {
        case 0x02: return "> exchange MTU \(handle)"
        case 0x04, 0x06, 0x10: return "> discovery"
        case 0x08: return Array(pdu.suffix(2)) == [0x00, 0x2A] ? "> read 2A00 anywhere" : "> discovery"
        case 0x0A: return "> read \(name)"
        case 0x0C: return "> read more of \(name)"
        case 0x12: return "> write \(name) \(Array(pdu[3...]).hex)"
        case 0x52: return "> command \(name) \(Array(pdu[3...]).hex)"
        case 0x1E: return "> confirmation"
        default: return nil  // what it answers as a server
        }
    }

    static func text(_ services: [DiscoveredService]) -> String {
        services.map { "\($0.uuid)" }.joined(separator: " ")
    }

    static func text(_ result: Result<CentralOutcome, CentralFailure>) -> String {
        switch result {
        case .success(.procedure(.value(let value))): value.hex
        case .success(.procedure(.services(let services))): text(services)
        case .success(.procedure(.written)): "written"
        case .success(.procedure(let outcome)): "\(outcome)"
        case .success(.notifying(let isOn)): isOn ? "notifying" : "not notifying"
        case .success(.signalStrength): "signal strength"
        case .success(let outcome): "\(outcome)"
        case .failure(.refused(let error)): "refused \(error)"
        case .failure(let failure): "\(failure)"
        }
    }

    static func text(_ event: PeripheralEvent) -> String {
        switch event {
        case .state(let state): "\(state)"
        case .added(let id, let failure): "added \(id)" + (failure.map { ": \($0)" } ?? "")
        case .advertising(let id, let failure): "advertises \(id)" + (failure.map { ": \($0)" } ?? "")
        case .exchangedMTU(_, let mtu): "MTU of a central \(mtu)"
        case .connected: "central connected"
        case .disconnected: "central disconnected"
        case .subscribed(_, let id): "subscribed \(id.service)/\(id.index)"
        case .unsubscribed(_, let id): "unsubscribed \(id.service)/\(id.index)"
        case .requested(_, let accesses, let number):
            "is asked" + (number.map { " \($0)" } ?? "") + ": " + accesses.map(Self.text).joined(separator: ", ")
        case .confirmed(_, let id): "confirmed \(id.service)/\(id.index)"
        case .updated: "updated"
        }
    }

    static func text(_ access: ValueAccess) -> String {
        "\(access.characteristic.service)/\(access.characteristic.index)"
            + (access.descriptor.map { "/\($0)" } ?? "") + " " + (access.written?.hex ?? "read")
    }

    static func text(_ event: PairingEvent) -> String {
        switch event {
        case .changedAgent(let hasEffect): hasEffect ? "is agent, or none" : "changed no agent"
        case .requestedPasskey: "is asked for the passkey"
        case .requestedComparison: "is asked to compare"
        case .requestedAuthorization: "is asked to authorize"
        case .displayed: "displays a passkey"
        case .ended: "is asked no more"
        }
    }
}
