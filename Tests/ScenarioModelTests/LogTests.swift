import Basics
import Bluetooth
import ScenarioModel
import Testing

@Suite struct LogTests {
    struct Words: JSONWritable {
        let text: String
        func write(to json: inout JSONText) { json.append(quoted: text) }
    }

    static func lines(of chunk: EventChunk, in wording: ValueFormatter) -> [String] {
        var text = JSONText()
        chunk.write(in: wording, to: &text)
        return text.string.split(separator: "\n").map(String.init)
    }

    @Test func `Values and other events are formatted in order`() throws {
        let collected = Collected<EventChunk>()
        var (pool, journal) = (PacketPool(), EventJournal { collected.add($0) })
        let packet = pool.take([0x1B, 0x0E, 0x00, 0x00, 0x3E])
        journal.append(EventRecord(.subscribed, of: "strap/heart_rate", at: Instant(nanoseconds: 1_000_000)))
        journal.append(
            .notified, device: 2, valueIndex: 5, peer: DeviceAddress(1, .public), handle: 14, packet, droppingFirst: 3,
            in: pool,
            at: Instant(nanoseconds: 2_000_000))
        journal.append(
            .delivered, device: 2, valueIndex: 6, peer: DeviceAddress(1, .public), handle: 14, packet, droppingFirst: 3,
            in: pool,
            at: Instant(nanoseconds: 2_000_000))
        journal.append(line: Words(text: "62 \"bpm\""), at: Instant(nanoseconds: 2_500_000))
        journal.append(EventRecord(.unsubscribed, at: Instant(nanoseconds: 3_000_000)))
        #expect(collected.chunks.isEmpty)
        journal.flush()
        journal.flush()
        pool.release(packet)

        let wording = ValueFormatter(
            entity: { "device \($0) part \($1)" },
            value: { _, part, octets, text in
                text.append(Int64(octets.last ?? 0))
                return part == 5
            })
        #expect(collected.chunks.count == 1)
        #expect(
            collected.chunks.first.map { Self.lines(of: $0, in: wording) } == [
                #"{"t": 0.001000, "event": "subscribed", "of": "strap/heart_rate"}"#,
                #"{"t": 0.002000, "event": "notified", "of": "device 2 part 5", "#
                    + #""peer": "00:00:00:00:00:01/public", "handle": 14, "value": 62, "octets": "00 3E"}"#,
                #"{"t": 0.002000, "event": "delivered", "of": "device 2 part 6", "#
                    + #""peer": "00:00:00:00:00:01/public", "handle": 14, "octets": "00 3E"}"#,
                #"{"t": 0.002500, "event": "said", "of": "client", "line": "62 \"bpm\""}"#,
                #"{"t": 0.003000, "event": "unsubscribed"}"#,
            ])
    }

    @Test func `Calls of programs at a bus and their replies are in the log, between other events`() throws {
        let collected = Collected<EventChunk>()
        var journal = EventJournal { collected.add($0) }
        func record(_ kind: BusRecord.Kind, _ milliseconds: Int64, path: String = "/org/bluez/hci0") -> BusRecord {
            BusRecord(
                kind, at: Instant(nanoseconds: milliseconds * 1_000_000), sender: ":1.4", serial: 12, path: path,
                interface: "org.bluez.Adapter1", member: "StartDiscovery")
        }
        journal.append(record(.called, 1))
        journal.append(EventRecord(.scanning, of: "client", at: Instant(nanoseconds: 1_000_000)))
        journal.append(record(.refused("org.bluez.Error.InProgress", "Operation \"x\""), 2))
        journal.append(record(.replied, 3))
        journal.append(record(.called, 4, path: "/" + String(repeating: "x", count: 1000)))
        journal.flush()
        let chunk = try #require(collected.chunks.first)
        let lines = Self.lines(of: chunk, in: ValueFormatter(entity: { "\($0)/\($1)" }) { _, _, _, _ in false })
        let call =
            #""sender": ":1.4", "serial": 12, "path": "/org/bluez/hci0", "interface": "org.bluez.Adapter1", "#
            + #""member": "StartDiscovery""#
        #expect(
            lines.dropLast() == [
                #"{"t": 0.001000, "event": "called", \#(call)}"#,
                #"{"t": 0.001000, "event": "scanning", "of": "client"}"#,
                #"{"t": 0.002000, "event": "replied", \#(call), "error": "org.bluez.Error.InProgress", "#
                    + #""reason": "Operation \"x\""}"#,
                #"{"t": 0.003000, "event": "replied", \#(call)}"#,
            ])
        #expect(lines.last?.utf8.count ?? .max < 400, "a path has a limit")
        #expect(
            chunk.records(where: { _ in true }, in: .init(entity: { "\($0)/\($1)" }) { _, _, _, _ in false }).count == 1
        )
        #expect(Set(chunk.fingerprints).count == 5)
    }

    @Test func `Selected events are available as records`() throws {
        let collected = Collected<EventChunk>()
        var (pool, journal) = (PacketPool(), EventJournal { collected.add($0) })
        let packet = pool.take([0x1B, 0x0E, 0x00, 0x00, 0x3E])
        journal.append(EventRecord(.connected, of: "strap", at: .start))
        journal.append(EventRecord(.mtu, of: "strap", at: .start))
        for event in [EventName.notified, .delivered] {
            journal.append(
                event, device: 0, valueIndex: 5, peer: DeviceAddress(1, .public), handle: 14, packet, droppingFirst: 3,
                in: pool,
                at: .start)
        }
        journal.flush()
        pool.release(packet)

        let wording = ValueFormatter(entity: { "\($0)/\($1)" }) { _, _, octets, text in
            text.append(Int64(octets.last ?? 0))
            return true
        }
        let chunk = try #require(collected.chunks.first)
        var notified = EventRecord(.notified, of: "0/5", at: .start)
        notified.peer = DeviceAddress(1, .public)
        (notified.handle, notified.value, notified.octets) = (14, "62", [0x00, 0x3E])
        #expect(
            chunk.records(where: { $0 == .connected || $0 == .notified }, in: wording)
                == [EventRecord(.connected, of: "strap", at: .start), notified])
        #expect(chunk.records(where: { _ in true }, in: wording).count == chunk.count)
    }

    @Test func `A full chunk is passed to the sink`() {
        let collected = Collected<EventChunk>()
        var (pool, journal) = (PacketPool(), EventJournal(entriesPerChunk: 3) { collected.add($0) })
        for number in 0..<8 as Range<UInt8> {
            let packet = pool.take([number])
            journal.append(.delivered, device: 0, valueIndex: 0, peer: nil, handle: 1, packet, in: pool, at: .start)
            pool.release(packet)
        }
        journal.flush()
        let wording = ValueFormatter(entity: { _, _ in "" }, value: { _, _, _, _ in false })
        let octets = collected.chunks.map { chunk in
            Self.lines(of: chunk, in: wording).map { String($0.dropLast(2).suffix(2)) }
        }
        #expect(octets == [["00", "01", "02"], ["03", "04", "05"], ["06", "07"]])
        #expect(collected.chunks.map(\.count) == [3, 3, 2])
    }

    @Test func `Packets are logged with their octets, after their controllers`() {
        let collected = Collected<PacketChunk>()
        var (pool, log) = (PacketPool(), PacketLog(recordsPerChunk: 3) { collected.add($0) })
        log.open(controller: 1, DeviceAddress(0xC0FF_EE00_0001, .public), name: "strap and more", at: .start)
        let packet = pool.take([0x03, 0x0C, 0x00])
        log.append(.command, controller: 1, packet, in: pool, at: Instant(nanoseconds: 5))
        log.append(.event, controller: 1, [0x0E, 0x01, 0x00], at: Instant(nanoseconds: 6))
        log.close(controller: 1, at: Instant(nanoseconds: 7))
        log.flush()
        pool.release(packet)

        let records = collected.chunks.flatMap { chunk in chunk.records.map { ($0.kind, Array(chunk.octets(of: $0))) } }
        #expect(records.map(\.0) == [.newIndex, .openIndex, .command, .event, .closeIndex, .deleteIndex])
        #expect(
            records.map(\.1) == [
                [0, 0, 0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0] + Array("strap a".utf8) + [0], [], [0x03, 0x0C, 0x00],
                [0x0E, 0x01, 0x00], [], [],
            ])
        #expect(collected.chunks.map(\.records.count) == [3, 3])
        #expect(collected.chunks.flatMap(\.records).allSatisfy { $0.controller == 1 })
    }

    @Test func `A record is small`() {
        #expect(MemoryLayout<PacketRecord>.stride == 24)
        #expect(MemoryLayout<ValueRecord>.stride == 24)
    }

    @Test func `Without a sink nothing is recorded`() {
        var (log, journal) = (PacketLog(sink: nil), EventJournal(sink: nil))
        log.append(.event, controller: 0, [1], at: .start)
        log.flush()
        journal.append(EventRecord(.scanning, at: .start))
        journal.flush()
    }
}
