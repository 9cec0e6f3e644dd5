import Air
import Testing

@Suite struct AirTests {
    @Test(arguments: [(100, -20), (1000, -40), (2000, -46), (10_000, -60), (0, -20)])
    func `Twice the distance costs 6 dB, ten times 20`(millimetres: Int, rssi: Int8) {
        var air = Medium()
        let (client, strap) = (air.add(.init()), air.add(.init(millimetres: millimetres)))
        #expect(air.rssi(from: strap, to: client) == rssi)
        #expect(air.rssi(from: client, to: strap) == rssi)
    }

    @Test func `Who is not there neither sends nor hears`() {
        var air = Medium()
        let (client, strap) = (air.add(.init()), air.add(.init(millimetres: 1000)))
        #expect(air.connects(client, strap))
        air.change(strap) { $0.isPresent = false }
        #expect(!air.connects(client, strap))
        #expect(!air.connects(strap, client))
        #expect(!air.connects(client, 7))
    }
}
