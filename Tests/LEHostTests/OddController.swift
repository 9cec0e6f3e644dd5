import Basics
import Bluetooth
import HCI

/// How a controller differs from a virtual one: it stands between that and its host.
struct OddController: Sendable, CustomStringConvertible {
    let description: String
    /// The answer to a command, instead of the virtual controller's.
    private var answers: [Opcode: Event] = [:]
    /// The events instead of one of the virtual controller's.
    private var change: @Sendable ([UInt8], inout RandomStream) -> [[UInt8]] = { event, _ in [event] }
    /// The number of packets that it can hold; nil: as many as the virtual controller.
    private var buffers: Int?
    private var held = 0
    private var chance = RandomStream(seed: 7)
    /// Whether the host has sent more packets than it can hold.
    private(set) var hasOverflowed = false

    private init(_ description: String) { self.description = description }

    /// The events in place of one of the virtual controller's.
    mutating func events(for event: [UInt8]) -> [[UInt8]] {
        if event.first == 0x13, event.count > 6 { held -= Int(event[5]) }
        return change(event, &chance)
    }

    /// What the virtual controller receives of a host's packet, and the events that answer it.
    mutating func sent(_ kind: PacketKind, _ octets: [UInt8]) -> (passed: [UInt8]?, answers: [[UInt8]]) {
        switch kind {
        case .command:
            guard let opcode = Opcode(ofCommand: octets), let answer = answers[opcode] else { return (octets, []) }
            return (nil, [answer.octets])
        case .acl:
            held += 1
            if let buffers, held > buffers { hasOverflowed = true }
            return (octets, [])
        default: return (octets, [])
        }
    }

    /// Number Of Completed Packets with these counts: Core 6.0, Vol 4, Part E, section 7.7.19.
    private static func completed(_ counts: [(handle: UInt16, count: UInt16)]) -> [UInt8] {
        var octets: [UInt8] = [0x13, UInt8(1 + 4 * counts.count), UInt8(counts.count)]
        for (handle, count) in counts {
            octets.append(handle)
            octets.append(count)
        }
        return octets
    }

    /// Changes the counts of completed packets.
    private static func counts(
        _ description: String,
        _ change: @escaping @Sendable (_ handle: UInt16, _ count: UInt16, inout RandomStream) -> [(UInt16, UInt16)]
    ) -> OddController {
        var odd = OddController(description)
        odd.change = { event, chance in
            guard event.first == 0x13, event.count == 7 else { return [event] }
            let counts = change(UInt16(event[3]) | UInt16(event[4]) << 8, UInt16(event[5]), &chance)
            return counts.isEmpty ? [] : [completed(counts)]
        }
        return odd
    }

    private static func capacity(_ description: String, length: UInt16, count: UInt8) -> OddController {
        var odd = OddController(description)
        odd.buffers = Int(count)
        odd.answers[Command.leReadBufferSize.opcode] = .complete(
            Command.leReadBufferSize.opcode, .success, LEBufferSize(length: length, count: count).octets)
        return odd
    }

    /// A controller of Bluetooth 4.0: without LE Data Length Extension and its commands.
    private static var withoutDataLength: OddController {
        var odd = OddController("no data length extension")
        let features: LEFeatures = [.encryption]
        odd.answers[Command.leReadLocalSupportedFeatures.opcode] = .complete(
            Command.leReadLocalSupportedFeatures.opcode, .success, features.octets)
        for opcode in opcodes(Command.leSetDataLength, Command.leWriteSuggestedDefaultDataLength) {
            odd.answers[opcode] = .complete(opcode, .unknownCommand)
        }
        return odd
    }

    /// A controller that claims the extension, and rejects its commands.
    private static var refusingDataLength: OddController {
        var odd = OddController("a refused data length")
        odd.answers[Command.leSetDataLength.opcode] = .complete(
            Command.leSetDataLength.opcode, .unsupportedFeature)
        return odd
    }

    /// LE and BR/EDR share the buffers.
    private static var sharedBuffers: OddController {
        var odd = capacity("buffers shared with BR/EDR", length: 0, count: 0)
        odd.buffers = 4
        odd.change = { event, _ in
            // Supported Commands: Read Buffer Size is bit 7 of octet 14.
            guard event.starts(with: [0x0E, 68, 1, 0x02, 0x10, 0]) else { return [event] }
            var changed = event
            changed[6 + 14] |= 1 << 7
            return [changed]
        }
        odd.answers[Command.readBufferSize.opcode] = .complete(
            Command.readBufferSize.opcode, .success, HostBufferSize(aclLength: 310, aclCount: 4).octets)
        return odd
    }

    /// Events of vendors, subevents of later versions, and events that the host has masked, around each event.
    private static var unknownEvents: OddController {
        var odd = OddController("unknown events")
        odd.change = { event, chance in
            func random() -> [UInt8] { (0..<chance.below(20)).map { _ in UInt8(chance.below(256)) } }
            let (vendor, later) = (random(), [0x70 + UInt8(chance.below(0x80))] + random())
            return [
                [0xFF, UInt8(vendor.count)] + vendor, event, [0x3E, UInt8(later.count)] + later,
                [0x57, UInt8(vendor.count)] + vendor,
            ]
        }
        return odd
    }

    static let all: [OddController] = [
        OddController("a virtual controller, without extended advertising"), withoutDataLength, refusingDataLength,
        sharedBuffers, unknownEvents, capacity("one buffer", length: 251, count: 1),
        capacity("one small buffer", length: 27, count: 1),
        counts("counts of 0 as well") { handle, count, _ in [(handle, UInt16(0)), (handle, count)] },
        counts("counts too high") { handle, count, _ in [(handle, count + 40)] },
        counts("counts twice") { handle, count, _ in [(handle, count), (handle, count)] },
        counts("counts of unknown connections") { handle, count, _ in [(handle ^ 0x80, UInt16(3)), (handle, count)] },
        counts("counts of 65535") { handle, _, _ in [(handle, .max)] },
    ]

    /// It does not report each packet that it has completed.
    static let losing = counts("lost counts") { handle, count, chance in
        chance.happens(1, outOf: 4) ? [] : [(handle, count)]
    }
}
