import Basics
import Bluetooth
import Characteristics
import Clients
import Devices
import Services
import Testing

@testable import CommandSupport
@testable import Screens

/// The client's updates on the screen.
@Suite struct DashboardUpdateTests {
    private typealias Content = SensorCollector.Content

    private func rows(_ contents: [Content], name: String? = "strap") throws -> [String] {
        let peer = SensorCollector.Peer(try #require(DeviceAddress("C0:FF:EE:00:00:01/random")), name: name)
        var dashboard = Dashboard(rows: Dashboard.labels)
        for content in contents {
            dashboard.take(SensorCollector.Update(content, of: peer), on: .first, at: .start)
        }
        return dashboard.rows(width: 80, height: 24, .unicode, at: .start).map(\.text)
    }

    private func measurement(_ octets: [UInt8]) throws -> Content {
        .heartRate(try HeartRateMeasurement(octets: octets))
    }

    private func value(_ octets: [UInt8], _ uuid: UUID, of service: ServiceDescription) throws -> Content {
        .value(try ReceivedValue(octets[...], of: try #require(CharacteristicID(uuid, of: service))))
    }

    @Test func `what is found is not what is listened to`() throws {
        #expect(try rows([.found(services: [.heartRate], rssi: -50)])[0] == " scanning")
        #expect(try rows([.state(.connecting)])[0] == " strap  C0:FF:EE:00:00:01/random  connecting")
    }

    @Test func `a measurement, its contact and its energy`() throws {
        let level = try value([9], .batteryLevel, of: .battery)
        let shown = try rows([.state(.subscribed), measurement([0x0E, 62, 0x05, 0x00]), level])
        #expect(shown[2].contains("contact      yes"))
        #expect(shown[3].contains("battery      9 %"))
        #expect(shown[4].contains("5 kJ"))
        #expect(try rows([measurement([0x04, 62])])[2].contains("contact      no "))
        #expect(try rows([measurement([0x00, 62])])[2].contains("contact      – "))
        #expect(try rows([measurement([0x06, 62]), .cleared])[2].contains("contact      – "))
    }

    @Test func `steps, temperature, ECG and a statistic`() throws {
        let header = ECGFrame.Header(flags: [.synthetic, .leadOff], sequence: 0, index: 7)
        let frame = try #require(ECGFrame(header, samples: [0, 100, -100]))
        let shown = try rows([
            value([0xA0, 0x5B, 0, 0], VendorUUID.steps.uuid, of: .fitness),
            value([0x39, 0x30, 0, 0], VendorUUID.stepsToday.uuid, of: .fitness),
            value([0x47, 0x0E], .temperature, of: .fitness), .ecgFrame(frame, rate: 250),
            .statistic(Statistic(.resting, thousandths: 58_250)), .measurements([61, 62, 70]),
        ])
        #expect(shown[3].contains("resting        58.3"))
        #expect(shown[4].contains("temperature  36.55 °C"))
        #expect(shown.contains(" ECG in mV, the last 3 s, 250 Hz  lead off"))
        #expect(shown.contains(" steps  12,345 today · 23,456 in all · 8.7 km · 304 kcal"))
        let unknown = try value([0x00, 0x80], .temperature, of: .fitness)
        #expect(try rows([value([0x47, 0x0E], .temperature, of: .fitness), unknown])[4].contains("temperature  – "))
        let infinite = try value([0, 0xFE, 0xFF, 0x7F, 0x00], .temperatureMeasurement, of: .healthThermometer)
        #expect(try rows([infinite])[4].contains("temperature  – "))
    }

    @Test func `oxygen saturation has a row, from the first value on`() throws {
        func saturation(_ octets: [UInt8]) throws -> Content {
            try value(octets, .plxContinuousMeasurement, of: .pulseOximeter)
        }
        #expect(try !rows([.state(.subscribed)]).contains { $0.contains("SpO2") })
        #expect(try rows([saturation([0, 0xB7, 0xF3, 62, 0])]).contains { $0.contains("SpO2         95.1 %") })
        let unknown = try rows([saturation([0, 0xB7, 0xF3, 62, 0]), saturation([0, 0xFF, 0x07, 0xFF, 0x07])])
        #expect(unknown.contains { $0.contains("SpO2         – ") })
    }

    @Test func `RR intervals and their variability, without those that nobody wears`() throws {
        let head = " RR interval "
        #expect(try !rows([measurement([0x06, 62])]).contains { $0.hasPrefix(head) })
        let beat = try measurement([0x16, 60, 0x00, 0x04])
        #expect(try rows([beat])[5] == "\(head)1,000 ms  RMSSD –  pairs 0  left out 0")
        let late = try measurement([0x16, 60, 0x20, 0x04])
        let beats = (0..<31).map { $0.isMultiple(of: 2) ? beat : late }
        #expect(try rows(beats)[5] == "\(head)1,000 ms  RMSSD 31.3 ms  pairs 30  left out 0")
        // The strap is off, then on again: the beats on both sides are not successive.
        let off = try measurement([0x14, 60, 0x00, 0x01])
        #expect(try rows(beats + [off, late])[5] == "\(head)1,031 ms  RMSSD 31.3 ms  pairs 30  left out 0")
        for gap in [[Content.cleared], [.state(.disconnected(reason: .connectionTimeout)), .state(.connected)]] {
            #expect(try rows(beats + gap + [late])[5].hasSuffix(" pairs 30  left out 0"))
        }
    }

    @Test func `an intermediate temperature has its own row until there is a result`() throws {
        let intermediate = try value([0, 0x68, 0x01, 0, 0xFF], .intermediateTemperature, of: .healthThermometer)
        let shown = try rows([intermediate])
        #expect(shown[4].contains("intermediate 36.00 °C"))
        #expect(shown[5].hasSuffix("temperature  –"))
        let result = try value([0, 0x6E, 0x01, 0, 0xFF], .temperatureMeasurement, of: .healthThermometer)
        let later = try rows([intermediate, result])
        #expect(later[4].contains("temperature  36.60 °C"))
        #expect(!later.contains { $0.contains("intermediate") })
    }

    @Test func `why it is not there any more, and what is wrong`() throws {
        let shown = try rows([
            .state(.connected), .state(.disconnected(reason: .connectionTimeout)), .error("the strap has no heart"),
        ])
        #expect(shown[0].contains("disconnected: connection_timeout"))
        #expect(shown[23] == " the strap has no heart")
    }
}
