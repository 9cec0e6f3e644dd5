import VirtualWorld

// Peripherals that broadcast values in their advertising data.
extension Peripheral {
    /// A strap with Polar's layout, whose last two octets are the heart rate.
    static func broadcaster(_ name: String, _ about: String, rate: String, status: String = "22 08") -> Peripheral {
        Peripheral(
            name: name, about: about,
            advertise: #"""
                {"services": ["180D"], "appearance": 833, "manufacturer_data": [{"company": 107, "fields": [
                  {"format": "octets", "value": "\#(status)"}, {\#(rate)}, {\#(rate)}]}]}
                """#)
    }

    static let broadcasters: [Peripheral] = [
        broadcaster("broadcaster", "a strap that advertises its heart rate", rate: #""of": "heart_rate""#),
        broadcaster(
            "late_broadcaster", "a strap that advertises an average, far below at times", rate: #""value": 50"#),
        broadcaster("resting_broadcaster", "a strap that advertises a heart rate of 0", rate: #""value": 0"#),
        broadcaster(
            "lying_broadcaster", "a strap that advertises that it has no contact", rate: #""value": 200"#,
            status: "20 08"),
        Peripheral(
            name: "cold_room", about: "a thermometer that broadcasts -40 °C and its battery", services: [battery],
            advertise: #"""
                {"services": ["180F"], "service_data": [{"uuid": "FCD2", "fields": [
                  {"format": "octets", "value": "40 01"}, {"of": "battery"}, {"format": "octets", "value": "02"},
                  {"format": "sint16", "times": 100, "value": -40}]}]}
                """#),
    ]

    static let advertisedMutants: [Peripheral] = [
        broadcasters[0].made(
            "constant_broadcast", "advertises 200 bpm always", "advertising/heart_rate_agrees",
            advertising: #"{"services": ["180D"], "manufacturer_data": [{"company": 107, "octets": "22 08 C8 C8"}]}"#),
        broadcasters[0].made(
            "battery_of_200", "advertises a battery level of 200 %", "advertising/values_are_plausible",
            advertising: #"{"services": ["180D"], "service_data": [{"uuid": "180F", "octets": "C8"}]}"#),
        broadcasters[0].made(
            "fahrenheit_in_hundredths", "advertises a temperature of 255 °C", "advertising/values_are_plausible",
            advertising: #"{"services": ["180D"], "service_data": [{"uuid": "FCD2", "octets": "40 02 9C 63"}]}"#),
        broadcasters[0].made(
            "wet_air", "advertises a humidity of 142 %", "advertising/values_are_plausible",
            advertising: #"{"services": ["180D"], "service_data": [{"uuid": "FCD2", "octets": "40 2E 8E"}]}"#),
    ]

    private func made(
        _ name: String, _ about: String, _ id: String, advertising advertise: String
    ) -> Peripheral {
        var other = self
        (other.name, other.about, other.caughtBy, other.advertise) = (name, about, id, advertise)
        return other
    }
}
