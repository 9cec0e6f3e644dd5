/// A test case of the Bluetooth SIG for a Collector of the Heart Rate or Health Thermometer Profile over Low Energy, or for
/// a Central that pairs.
///
/// Scenarios name it as the `requirement` of an expectation.  The ids are from the Test Case Reference List, package 102,
/// without the retired ones.
package struct CollectorCase: Hashable, Sendable {
    /// `HRP/COL/HRF/BV-04-C`
    package let id: String
    package let title: String
    /// The specification and the section that require it.
    package let requirement: String
    /// Why no scenario tests it; nil if one does.
    package let limitation: String?

    init(_ id: String, _ title: String, _ requirement: String, limitation: String? = nil) {
        (self.id, self.requirement, self.limitation) = (id, requirement, limitation)
        self.title = "the client " + title
    }

    /// The case with this id; nil if there is none.
    package init?(id: String) {
        guard let found = Self.all.first(where: { $0.id == id }) else { return nil }
        self = found
    }

    package static let all = heartRate + thermometer + pairing

    private static let serviceDiscovery = "Core 6.0, Vol 3, Part G, section 4.4"
    private static let characteristicDiscovery = "Core 6.0, Vol 3, Part G, section 4.6"
    private static let configuration = "Core 6.0, Vol 3, Part G, section 3.3.3.3"
    private static let information = "Device Information Service 1.2, section 3"

    private static let heartRate = [
        Self("HRP/COL/CGGIT/SER/BV-01-C", "discovers the Heart Rate Service", serviceDiscovery),
        Self("HRP/COL/CGGIT/SER/BV-02-C", "discovers the Device Information Service", serviceDiscovery),
        Self(
            "HRP/COL/CGGIT/CHA/BV-01-C", "discovers Heart Rate Measurement and its configuration",
            characteristicDiscovery),
        Self("HRP/COL/CGGIT/CHA/BV-02-C", "discovers and reads Body Sensor Location", characteristicDiscovery),
        Self("HRP/COL/CGGIT/CHA/BV-03-C", "discovers Heart Rate Control Point", characteristicDiscovery),
        Self("HRP/COL/HRD/BV-09-C", "discovers the Device Information characteristics", information),
        Self("HRP/COL/HRD/BV-10-C", "reads the Device Information characteristics", information),
        Self("HRP/COL/HRF/BV-03-C", "writes 0x0001 to the configuration of Heart Rate Measurement", configuration),
        Self("HRP/COL/HRF/BV-04-C", "accepts Heart Rate Measurement with each combination of flags", heart("3.1.1")),
        Self("HRP/COL/HRF/BV-05-C", "accepts consecutive Heart Rate Measurements", heart("3.1")),
        Self("HRP/COL/HRF/BV-07-C", "writes 0x01 to Heart Rate Control Point", heart("3.3")),
        Self(
            "HRP/COL/HRF/BV-08-C", "verifies the bond after a reconnection", "Heart Rate Profile 1.0, section 5"),
        Self("HRP/COL/HRF/BI-01-C", "ignores reserved flags of Heart Rate Measurement", heart("3.1.1.1")),
        Self("HRP/COL/HRF/BI-02-C", "ignores extra octets of Heart Rate Measurement", heart("3.1.1")),
        Self("HRP/COL/HRF/BI-03-C", "survives a reserved value of Body Sensor Location", heart("3.2")),
    ]

    private static let thermometer = [
        Self("HTP/COL/CGGIT/SER/BV-01-C", "discovers the Health Thermometer Service", serviceDiscovery),
        Self("HTP/COL/CGGIT/SER/BV-02-C", "discovers the Device Information Service", serviceDiscovery),
        Self("HTP/COL/CGGIT/CHA/BV-01-C", "discovers Temperature Measurement", characteristicDiscovery),
        Self("HTP/COL/CGGIT/CHA/BV-02-C", "discovers and reads Temperature Type", characteristicDiscovery),
        Self("HTP/COL/CGGIT/CHA/BV-03-C", "discovers Intermediate Temperature", characteristicDiscovery),
        Self("HTP/COL/CGGIT/CHA/BV-04-C", "discovers Measurement Interval", characteristicDiscovery),
        Self(
            "HTP/COL/CGGIT/DES/BV-01-C", "discovers and reads the Valid Range of Measurement Interval",
            temperature("3.4"), limitation: "the event log has no reads of descriptors"),
        Self("HTP/COL/THS/BV-13-C", "discovers the Device Information characteristics", information),
        Self("HTP/COL/THS/BV-14-C", "reads the Device Information characteristics", information),
        Self("HTP/COL/THF/BV-01-C", "writes 0x0002 to the configuration of Temperature Measurement", configuration),
        Self("HTP/COL/THF/BV-02-C", "accepts and confirms Temperature Measurement", temperature("3.1")),
        Self("HTP/COL/THF/BV-03-C", "accepts and confirms consecutive Temperature Measurements", temperature("3.1")),
        Self("HTP/COL/THF/BV-04-C", "writes 0x0001 to the configuration of Intermediate Temperature", configuration),
        Self("HTP/COL/THF/BV-05-C", "accepts Intermediate Temperature", temperature("3.3")),
        Self("HTP/COL/THF/BV-07-C", "accepts consecutive Intermediate Temperatures", temperature("3.3")),
        Self("HTP/COL/THF/BV-08-C", "writes 0x0002 to the configuration of Measurement Interval", configuration),
        Self("HTP/COL/THF/BV-09-C", "accepts Measurement Interval", temperature("3.4")),
        Self(
            "HTP/COL/THF/BV-14-C", "verifies the bond after a reconnection", "Health Thermometer Profile 1.0, section 5"
        ),
        Self("HTP/COL/THF/BI-01-C", "ignores reserved flags of Temperature Measurement", temperature("3.1.1")),
        Self("HTP/COL/THF/BI-02-C", "survives a reserved type in Temperature Measurement", temperature("3.1.1")),
        Self("HTP/COL/THF/BI-03-C", "ignores extra octets of Temperature Measurement", temperature("3.1.1")),
        Self("HTP/COL/THF/BI-04-C", "ignores reserved flags of Intermediate Temperature", temperature("3.3")),
        Self("HTP/COL/THF/BI-05-C", "survives a reserved type in Intermediate Temperature", temperature("3.3")),
        Self("HTP/COL/THF/BI-06-C", "ignores extra octets of Intermediate Temperature", temperature("3.3")),
        Self("HTP/COL/THF/BI-07-C", "survives a reserved value of Temperature Type", temperature("3.2")),
    ]

    private static func heart(_ section: String) -> String { "Heart Rate Service 1.0, section \(section)" }
    private static func temperature(_ section: String) -> String {
        "Health Thermometer Service 1.0, section \(section)"
    }
}
