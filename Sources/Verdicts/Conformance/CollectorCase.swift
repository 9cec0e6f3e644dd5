/// A test case of the Bluetooth SIG for who collects heart rates or temperatures over Low Energy.
///
/// Scenarios name it as the `requirement` of what they expect of a client.  The ids are those of the Test Case Reference
/// List, package 102, without those that are retired.
public struct CollectorCase: Hashable, Sendable {
    /// `HRP/COL/HRF/BV-04-C`
    public let id: String
    /// What is asked, in a few words.
    public let title: String
    /// Which specification wants it, and where.
    public let requirement: String
    /// Why no scenario asks it; nil where one does.
    public let obstacle: String?

    private init(_ id: String, _ title: String, _ requirement: String, obstacle: String? = nil) {
        (self.id, self.title, self.requirement, self.obstacle) = (id, title, requirement, obstacle)
    }

    /// The one with this id; nil when there is none.
    public init?(id: String) {
        guard let found = Self.all.first(where: { $0.id == id }) else { return nil }
        self = found
    }

    /// All of them, profile by profile.
    public static let all = heartRate + thermometer

    private static let discovery = "Core 6.0, Vol 3, Part G, section 4.4"
    private static let finding = "Core 6.0, Vol 3, Part G, section 4.6"
    private static let configuration = "Core 6.0, Vol 3, Part G, section 3.3.3.3"
    private static let information = "Device Information Service 1.2, section 3"
    private static let pairing = "needs pairing"

    private static let heartRate = [
        Self("HRP/COL/CGGIT/SER/BV-01-C", "it finds the Heart Rate Service", discovery),
        Self("HRP/COL/CGGIT/SER/BV-02-C", "it finds the Device Information Service", discovery),
        Self("HRP/COL/CGGIT/CHA/BV-01-C", "it finds 2A37 and its configuration", finding),
        Self("HRP/COL/CGGIT/CHA/BV-02-C", "it finds 2A38, and reads it", finding),
        Self("HRP/COL/CGGIT/CHA/BV-03-C", "it finds 2A39", finding),
        Self("HRP/COL/HRD/BV-09-C", "it finds what Device Information has", information),
        Self("HRP/COL/HRD/BV-10-C", "it reads what Device Information has", information),
        Self("HRP/COL/HRF/BV-03-C", "it writes 0x0001 to the configuration of 2A37", configuration),
        Self(
            "HRP/COL/HRF/BV-04-C", "it takes in 2A37 with each combination of flags",
            "Heart Rate Service 1.0, section 3.1.1"),
        Self("HRP/COL/HRF/BV-05-C", "it takes in one 2A37 after the other", "Heart Rate Service 1.0, section 3.1"),
        Self("HRP/COL/HRF/BV-07-C", "it writes 0x01 to 2A39", "Heart Rate Service 1.0, section 3.3"),
        Self(
            "HRP/COL/HRF/BV-08-C", "back again, it makes sure that the bond still holds",
            "Heart Rate Profile 1.0, section 5", obstacle: pairing),
        Self(
            "HRP/COL/HRF/BI-01-C", "it ignores reserved bits in the flags of 2A37",
            "Heart Rate Service 1.0, section 3.1.1.1"),
        Self(
            "HRP/COL/HRF/BI-02-C", "it ignores octets of 2A37 that its flags do not explain",
            "Heart Rate Service 1.0, section 3.1.1"),
        Self("HRP/COL/HRF/BI-03-C", "it survives a reserved value of 2A38", "Heart Rate Service 1.0, section 3.2"),
    ]

    private static let thermometer = [
        Self("HTP/COL/CGGIT/SER/BV-01-C", "it finds the Health Thermometer Service", discovery),
        Self("HTP/COL/CGGIT/SER/BV-02-C", "it finds the Device Information Service", discovery),
        Self("HTP/COL/CGGIT/CHA/BV-01-C", "it finds 2A1C", finding),
        Self("HTP/COL/CGGIT/CHA/BV-02-C", "it finds 2A1D, and reads it", finding),
        Self("HTP/COL/CGGIT/CHA/BV-03-C", "it finds 2A1E", finding),
        Self("HTP/COL/CGGIT/CHA/BV-04-C", "it finds 2A21", finding),
        Self(
            "HTP/COL/CGGIT/DES/BV-01-C", "it finds 2906 of 2A21, and reads it",
            values("3.4"), obstacle: "event logs say nothing of descriptors that are read"),
        Self("HTP/COL/THS/BV-13-C", "it finds what Device Information has", information),
        Self("HTP/COL/THS/BV-14-C", "it reads what Device Information has", information),
        Self("HTP/COL/THF/BV-01-C", "it writes 0x0002 to the configuration of 2A1C", configuration),
        Self(
            "HTP/COL/THF/BV-02-C", "it takes in 2A1C, and confirms it", values("3.1")),
        Self(
            "HTP/COL/THF/BV-03-C", "it takes in one 2A1C after the other, and confirms each",
            values("3.1")),
        Self("HTP/COL/THF/BV-04-C", "it writes 0x0001 to the configuration of 2A1E", configuration),
        Self("HTP/COL/THF/BV-05-C", "it takes in 2A1E", values("3.3")),
        Self(
            "HTP/COL/THF/BV-07-C", "it takes in one 2A1E after the other", values("3.3")),
        Self("HTP/COL/THF/BV-08-C", "it writes 0x0002 to the configuration of 2A21", configuration),
        Self("HTP/COL/THF/BV-09-C", "it takes in 2A21", values("3.4")),
        Self(
            "HTP/COL/THF/BV-14-C", "back again, it makes sure that the bond still holds",
            "Health Thermometer Profile 1.0, section 5", obstacle: pairing),
        Self("HTP/COL/THF/BI-01-C", "it ignores reserved bits in the flags of 2A1C", values("3.1.1")),
        Self("HTP/COL/THF/BI-02-C", "it survives a reserved type in 2A1C", values("3.1.1")),
        Self("HTP/COL/THF/BI-03-C", "it ignores octets of 2A1C that its flags do not explain", values("3.1.1")),
        Self("HTP/COL/THF/BI-04-C", "it ignores reserved bits in the flags of 2A1E", values("3.3")),
        Self("HTP/COL/THF/BI-05-C", "it survives a reserved type in 2A1E", values("3.3")),
        Self("HTP/COL/THF/BI-06-C", "it ignores octets of 2A1E that its flags do not explain", values("3.3")),
        Self("HTP/COL/THF/BI-07-C", "it survives a reserved value of 2A1D", values("3.2")),
    ]

    private static func values(_ section: String) -> String { "Health Thermometer Service 1.0, section \(section)" }
}
