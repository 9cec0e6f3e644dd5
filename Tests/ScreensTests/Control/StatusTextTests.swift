import Basics
import Testing
import VirtualWorld

@testable import CommandSupport
@testable import Screens

@Suite struct LastLineTests {
    @Test func `It is drawn, erased for other lines and drawn again, no more often than it is shown`() {
        var line = LastLine()
        #expect(line.erase() == "")
        #expect(line.draw() == "")
        #expect(line.show("a") == "\ra\u{1B}[K")
        #expect(line.show("a") == "")  // it stands there
        #expect(line.erase() == "\r\u{1B}[K")
        #expect(line.draw() == "\ra\u{1B}[K")
        #expect(line.erase() == "\r\u{1B}[K")
        #expect(line.draw() == "")  // too often
        #expect(line.erase() == "")  // it is not there
        #expect(line.show("a") == "\ra\u{1B}[K")
        #expect(line.show("b") == "\rb\u{1B}[K")
        #expect(line.show(nil) == "\r\u{1B}[K")
        #expect(line.show(nil) == "")
        #expect(line.draw() == "")
    }

    private static let none = WorldStatus.Device("strap")

    private static func device(
        _ id: String, bpm: Int?, mtus: [Int] = [], isTouching: Bool? = nil, isSilent: Bool = false,
        isAway: Bool = false
    ) -> WorldStatus.Device {
        var device = WorldStatus.Device(id)
        (device.bpm, device.mtus, device.isTouching) = (bpm, mtus, isTouching)
        (device.isSilent, device.isAway) = (isSilent, isAway)
        return device
    }

    private static func next(in nanoseconds: Int64) -> WorldStatus.Next {
        .init("away", due: .start.advanced(byNanoseconds: 1_000_000_000 + nanoseconds))
    }

    private static let second: Int64 = 1_000_000_000

    static let texts: [(devices: [WorldStatus.Device], chosen: Int?, next: WorldStatus.Next?, text: String)] = [
        ([], nil, nil, " | ? for keys"), ([none], nil, nil, "strap no rate, no client | ? for keys"),
        (
            [device("strap", bpm: 62, mtus: [247], isTouching: true)], nil, next(in: 12 * second),
            "strap 62 bpm, 1 client, MTU 247 | next: away in 12 s | ? for keys"
        ),
        (
            [device("strap", bpm: 300, mtus: [23, 247, 23], isTouching: false, isSilent: true)], nil, next(in: 1),
            "strap 300 bpm, no contact, silent, 3 clients, MTU 23 and 247 | next: away in 1 s | ? for keys"
        ),
        (
            [device("near", bpm: 61), device("far", bpm: 122, mtus: [185])], nil, next(in: 119 * second + 1),
            "all: 1 near 61 bpm, no client | 2 far 122 bpm, 1 client, MTU 185 | next: away in 2 min | ? for keys"
        ),
        (
            [device("near", bpm: 61), device("far", bpm: 122, isAway: true)], 1, next(in: 3 * 3600 * second),
            "2: 1 near 61 bpm, no client | 2 far 122 bpm, away, no client | next: away in 3 h | ? for keys"
        ),
        ([none], nil, next(in: -second), "strap no rate, no client | next: away in 0 s | ? for keys"),
    ]

    @Test(arguments: texts.indices) func `The status line shows the state of a world`(index: Int) {
        let (devices, chosen, next, text) = Self.texts[index]
        let status = WorldStatus(now: .start.advanced(byNanoseconds: Self.second), devices: devices, next: next)
        let said = StatusText(status, chosen: chosen)
        let plain = Paint(isOn: false)
        #expect(said.line(columns: 200, plain).description == text)
        for columns in -1...text.count {
            #expect(said.line(columns: columns, plain).description == String(text.prefix(max(0, columns))))
            let coloured = said.line(columns: columns, Paint(isOn: true)).description
            #expect(coloured.replacing(/\u{1B}\[[0-9;]*m/, with: "") == text.prefix(max(0, columns)))
            if coloured.contains("\u{1B}") { #expect(coloured.contains("\u{1B}[0m")) }
        }
    }
}
