import ATT
import Basics
import Bluetooth
import HCI
import L2CAP
package import ScenarioModel

/// The description of an HCI packet.
package struct PacketDescription {
    /// The specification's name: `LE Create Connection`, `ATT Read Response`.
    package let name: String
    package let isFromHost: Bool
    /// Its parameters or payload, without common headers.
    package let octets: ArraySlice<UInt8>
    /// Whether it only acknowledges an earlier packet.
    package let isReceipt: Bool

    package static let advertisingReport = "LE Advertising Report"
    private static let nameWidth = 34
    private static let maximumOctets = 16

    package init?(_ kind: PacketRecord.Kind, _ octets: ArraySlice<UInt8>) {
        // A copy, because the chunk that they are in does not stay.
        let octets = Array(octets)[...]
        switch kind {
        case .command: self.init(command: octets)
        case .event: self.init(event: octets)
        case .aclToController: self.init(acl: octets, isFromHost: true)
        case .aclToHost: self.init(acl: octets, isFromHost: false)
        case .newIndex, .deleteIndex, .openIndex, .closeIndex: return nil
        }
    }

    /// The direction (`->` to the controller), the name and the first octets.
    package var line: String {
        let arrow = isFromHost ? "->" : "<-"
        let shown = Array(octets.prefix(Self.maximumOctets)).hex + (octets.count > Self.maximumOctets ? " ..." : "")
        return shown.isEmpty ? "\(arrow) \(name)" : "\(arrow) \("\(name) ".padded(to: Self.nameWidth))\(shown)"
    }

    /// Whether it brings the client a value: a notification, an indication or a response to a read.
    var carriesValue: Bool {
        guard !isFromHost else { return false }
        return name.hasPrefix("ATT Handle Value") || name.hasPrefix("ATT Read") && name.hasSuffix("Response")
    }

    /// Whether it is a packet with which events of this kind begin.
    func mayCause(_ event: EventName) -> Bool {
        let parts: [String] =
            switch event {
            case .scanning, .scanningStopped: ["LE Set Scan Enable", "LE Set Extended Scan Enable"]
            case .advertising: [Self.advertisingReport, "LE Extended Advertising Report"]
            case .connecting: ["Create Connection"]
            case .connected: ["LE Connection Complete", "Enhanced Connection Complete"]
            case .disconnected: ["Disconnection Complete"]
            case .encrypted, .encryptionFailed: ["Encryption"]
            case .paired, .pairingFailed: ["SMP PDU", "Encryption"]
            case .mtu: ["ATT Exchange MTU"]
            case .parameters: ["Connection Update", "L2CAP signal"]
            case .discovering, .discovered: ["ATT Find", "ATT Read By"]
            case .subscribed, .unsubscribed, .written: ["ATT Write", "ATT Execute Write", "ATT Signed Write"]
            case .confirmed: ["ATT Handle Value Confirmation"]
            case .refused: ["ATT Error Response"]
            default: []
            }
        return parts.contains { name.contains($0) }
    }

    /// Nil also for receipts and advertisements, which do not help to explain a failure.
    package init?(unlessRoutine record: PacketRecord, in chunk: PacketChunk) {
        guard let packet = PacketDescription(record.kind, chunk.octets(of: record)), !packet.isReceipt,
            packet.name != Self.advertisingReport
        else { return nil }
        self = packet
    }

    private init(command octets: ArraySlice<UInt8>) {
        let opcode = HCI.Opcode(ofCommand: Array(octets.prefix(2)))
        name = opcode.map(Self.words) ?? "Command"
        (isFromHost, isReceipt, self.octets) = (true, false, octets.dropFirst(3))
    }

    private init(event octets: ArraySlice<UInt8>) {
        isFromHost = false
        do throws(Malformed) {
            let event = try HCI.Event(octets: Array(octets))
            try event.check()
            let name = Self.words(event.code)
            switch event {
            case HCI.Event.commandComplete:
                let (_, opcode, returned) = try HCI.Event.commandComplete.parameters(of: event)
                self.name = "\(name): \(Self.words(opcode))"
                (isReceipt, self.octets) = (returned.first == 0, returned[...])
            case HCI.Event.commandStatus:
                let (status, _, opcode) = try HCI.Event.commandStatus.parameters(of: event)
                self.name = "\(name): \(Self.words(opcode))"
                (isReceipt, self.octets) = (status.rawValue == 0, [status.rawValue])
            default:
                self.name = event.isKnown ? name : "Event"
                isReceipt = HCI.Event.numberOfCompletedPackets ~= event
                self.octets = event.isKnown ? event.parameters : octets
            }
        } catch {
            (name, isReceipt, self.octets) = ("Event", false, octets)
        }
    }

    /// | Octets | Field                                                           |
    /// |--------|-----------------------------------------------------------------|
    /// | 2      | Connection_Handle, and in bits 12 and 13 the Packet_Boundary_Flag |
    /// | 2      | Data_Total_Length                                               |
    /// | 2      | PDU Length, in a first fragment                                 |
    /// | 2      | Channel ID, in a first fragment                                 |
    private init(acl octets: ArraySlice<UInt8>, isFromHost: Bool) {
        (self.isFromHost, isReceipt) = (isFromHost, false)
        let flags = octets.dropFirst().first ?? 0
        let content = octets.dropFirst(4)
        guard flags >> 4 & 3 != 1, content.count > 4 else {
            (name, self.octets) = ("continued", content)
            return
        }
        let channel = Channel(rawValue: content.dropFirst(2).prefix(2).reversed().reduce(0) { $0 << 8 | UInt16($1) })
        let payload = content.dropFirst(4)
        self.octets = payload
        switch channel {
        case .attribute:
            let opcode = payload.first.flatMap(ATT.Opcode.init(rawValue:))
            name = "ATT \(opcode.map { Self.words(ofCase: Self.caseName($0)) } ?? "PDU")"
        case .signalling: name = "L2CAP signal"
        case .security: name = "SMP PDU"
        default: name = "L2CAP channel \(channel.rawValue)"
        }
    }

    private static func words(_ name: some CustomStringConvertible) -> String {
        name.description.split(separator: "_").joined(separator: " ")
    }

    private static func caseName(_ value: some Any) -> String {
        Mirror(reflecting: value).children.first?.label ?? "\(value)"
    }

    /// `LE Connection Complete` of `leConnectionComplete`, `Exchange MTU Request` of `exchangeMTURequest`.
    package static func words(ofCase name: String) -> String {
        var words: [String] = []
        let letters = Array(name)
        for (index, letter) in letters.enumerated() {
            let isFirst = index == 0 || letter.isUppercase && !letters[index - 1].isUppercase
            let isBehindCapitals =
                letter.isUppercase && index + 1 < letters.count && letters[index + 1].isLowercase
            if isFirst || isBehindCapitals { words.append("") }
            words[words.count - 1].append(letter)
        }
        return words.map { $0 == "le" ? "LE" : $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
    }
}
