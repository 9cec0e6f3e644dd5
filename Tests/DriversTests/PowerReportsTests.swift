import LEHost
import Testing

@testable import Drivers

@Suite struct PowerReportsTests {
    private static func power(_ wanted: Int, _ attenuation: Int, _ level: Int8?) -> AdvertisingPower {
        AdvertisingPower(wantedAttenuation: wanted, attenuation: attenuation, level: level)
    }

    @Test func `Each change is reported in dB, with the part that is not possible`() {
        var reports = PowerReports()
        #expect(reports.line(for: Self.power(9, 9, -1)) == "advertises with -1 dBm, 9 dB less than usual")
        #expect(reports.line(for: Self.power(9, 9, -1)) == nil)
        #expect(
            reports.line(for: Self.power(30, 28, -20))
                == "advertises with -20 dBm, 28 dB less than usual; 30 dB less is not possible with it")
        #expect(reports.line(for: Self.power(31, 28, -20)) == nil)
        #expect(reports.line(for: Self.power(-4, -4, 12)) == "advertises with 12 dBm, 4 dB more than usual")
        #expect(reports.line(for: Self.power(0, 0, 8)) == "advertises with 8 dBm, its own choice")
    }

    @Test func `A power that cannot be changed is reported once`() {
        var reports = PowerReports()
        #expect(
            reports.line(for: Self.power(9, 0, nil))
                == "the controller has no extended advertising, so its power cannot be changed")
        #expect(reports.line(for: Self.power(10, 0, nil)) == nil)
        #expect(
            reports.line(for: nil)
                == "distance and rssi change the power of advertising only; connections keep their power")
        #expect(reports.line(for: nil) == nil)
    }
}
