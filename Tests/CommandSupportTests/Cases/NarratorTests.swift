import Basics
import Bluetooth
import Causes
import ScenarioModel
import Synchronization
import Testing

@testable import Cases
@testable import CommandSupport

@Suite struct NarratorTests {
    /// Packets as in a log, and their lines.
    static let packets: [(kind: PacketRecord.Kind, octets: [UInt8], line: String)] = [
        (.command, [0x03, 0x0C, 0x00], "-> Reset"),
        (.command, [0x0C, 0x20, 0x02, 0x01, 0x00], "-> LE Set Scan Enable                01 00"),
        (.event, [0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00], "<- Command Complete: Reset           00"),
        (.event, [0x0F, 0x04, 0x00, 0x01, 0x0D, 0x20], "<- Command Status: LE Create Connection 00"),
        (.event, [0x13, 0x05, 0x01, 0x01, 0x00, 0x01, 0x00], "<- Number Of Completed Packets       01 01 00 01 00"),
        (.event, [0x05, 0x04, 0x00, 0x01, 0x00, 0x13], "<- Disconnection Complete            00 01 00 13"),
        (
            .event, [0x3E, 0x0C, 0x02, 0x01, 0x00, 0x01, 1, 0, 0, 0xEE, 0xFF, 0xC0, 0x00, 0xD8],
            "<- LE Advertising Report             01 00 01 01 00 00 EE FF C0 00 D8"
        ),
        (.event, [0xFF, 0x01, 0x07], "<- Event                             FF 01 07"),
        (
            .aclToController, [0x01, 0x00, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x02, 0xF7, 0x00],
            "-> ATT Exchange MTU Request          02 F7 00"
        ),
        (
            .aclToHost, [0x01, 0x20, 0x09, 0x00, 0x05, 0x00, 0x04, 0x00, 0x1B, 0x0C, 0x00, 0x06, 0x3E],
            "<- ATT Handle Value Notification     1B 0C 00 06 3E"
        ),
        (.aclToHost, [0x01, 0x10, 0x02, 0x00, 0x0F, 0x18], "<- continued                         0F 18"),
        (
            .aclToController, [0x01, 0x00, 0x05, 0x00, 0x01, 0x00, 0x05, 0x00, 0x12],
            "-> L2CAP signal                      12"
        ),
    ]

    @Test(arguments: packets)
    func `A packet is printed with the specification's name, a direction and its octets`(
        kind: PacketRecord.Kind, octets: [UInt8], line: String
    ) throws {
        let packet = try #require(PacketDescription(kind, octets[...]))
        #expect(packet.line == line)
    }

    @Test(arguments: packets) func `A truncated or changed packet is printed too`(
        kind: PacketRecord.Kind, octets: [UInt8], line: String
    ) {
        for count in octets.indices { #expect(PacketDescription(kind, octets[..<count]) != nil) }
        for bit in 0..<octets.count * 8 {
            var changed = octets
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(PacketDescription(kind, changed[...]) != nil)
        }
    }

    @Test(arguments: [
        ("leSetScanEnable", "LE Set Scan Enable"), ("exchangeMTURequest", "Exchange MTU Request"),
        ("lePHYUpdateComplete", "LE PHY Update Complete"), ("readMTU", "Read MTU"), ("a", "A"), ("", ""),
    ])
    func `The name of a case is made into words`(name: String, words: String) {
        #expect(PacketDescription.words(ofCase: name) == words)
    }

    @Test func `Events are printed with their entity, value and reason`() {
        let peer = DeviceAddress(0x02_0000_0000_02, .public)
        var read = EventRecord(.read, of: "strap/battery", at: .start)
        (read.value, read.octets) = ("87", [0x57])
        var gone = EventRecord(.disconnected, of: "strap", at: .start)
        (gone.peer, gone.reason) = (peer, "connection_timeout")
        var peak = EventRecord(.began, of: "peak", at: .start)
        peak.rule = "peak"
        var (touch, silence) = (EventRecord(.ended, of: "strap/heart_rate/contact", at: .start), peak)
        (touch.rule, touch.value) = ("key c", "false")
        (silence.rule, silence.entity) = ("key s", "strap")
        let records = [
            (peak, "script: peak began"), (touch, "script: key c ended on strap/heart_rate/contact: false"),
            (silence, "script: key s began on strap"),
            (read, "strap: battery read 87"), (gone, "strap: disconnected from \(peer): connection_timeout"),
            (EventRecord(.scanningStopped, of: "client", at: .start), "client: scanning stopped"),
        ]
        for (record, line) in records {
            let (who, what) = record.words
            #expect("\(who): \(what)" == line)
        }
    }

    @Test func `A brief narrator leaves out receipts, repeated advertisements, and other hosts`() {
        let lines = Mutex<[String]>([])
        let narrator = Narrator(
            Narrator.Choice(packets: true, isBrief: true, controller: "client"), Paint(isOn: false)
        ) { line in lines.withLock { $0.append(line.description) } }
        var log = PacketLog { narrator.take($0) }
        for (index, name) in ["strap", "client"].enumerated() {
            log.open(controller: index, DeviceAddress(UInt64(index), .public), name: name, at: .start)
            for _ in 0..<2 {
                for (kind, octets, _) in Self.packets { log.append(kind, controller: index, octets[...], at: .start) }
            }
        }
        log.flush()
        let told = lines.withLock { $0 }
        #expect(told.count == 2 * (Self.packets.count - 3) - 1)
        #expect(told.filter { $0.contains("LE Advertising Report") }.count == 1)
        #expect(told.first == "0.000000  hci     -> Reset")
    }
}
