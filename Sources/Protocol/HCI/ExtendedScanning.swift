public import Octets

/// HCI_LE_Set_Extended_Scan_Parameters: Core 6.0, Vol 4, Part E, section 7.8.64.
///
/// | Octets | Field                  | Meaning                                          |
/// |--------|------------------------|--------------------------------------------------|
/// | 1      | Own_Address_Type       | see `OwnAddress`                                 |
/// | 1      | Scanning_Filter_Policy | bit 0: the accept list only                      |
/// | 1      | Scanning_PHYs          | bit 0: 1 Msymbol/s, bit 2: coded                 |
/// | 5 each |                        | see `Listening`; for each PHY, the lower bit first |
public struct ExtendedScanParameters: Parameters {
    /// How to listen on one PHY.
    ///
    /// Scan_Type (1 octet: 0 passive, 1 active), Scan_Interval (2), Scan_Window (2).
    public struct Listening: Parameters {
        /// Whether scan responses are asked for.
        public var isActive: Bool
        /// From the beginning of one window to that of the next, in units of 0.625 ms; 0x0004 or more.
        public var interval: UInt16
        /// How long is listened, in units of 0.625 ms; 0x0004 to the interval.
        public var window: UInt16

        /// As given.
        public init(isActive: Bool, interval: UInt16, window: UInt16) {
            (self.isActive, self.interval, self.window) = (isActive, interval, window)
        }

        /// Takes 5 octets.
        public init(from reader: inout OctetReader) throws(Malformed) {
            isActive = try reader.flag("Scan_Type")
            interval = try reader.uint16("Scan_Interval")
            window = try reader.uint16("Scan_Window")
        }

        /// Adds 5 octets.
        public func append(to octets: inout [UInt8]) {
            octets.append(isActive)
            octets.append(interval)
            octets.append(window)
        }
    }

    /// Under which address scan responses are asked for.
    public var ownAddress: OwnAddress
    /// 0: everyone's packets; 1: those of the accept list.
    public var filterPolicy: UInt8
    /// At 1 Msymbol/s, if at all.
    public var at1M: Listening?
    /// On the coded PHY, if at all.
    public var coded: Listening?

    /// As given.
    public init(ownAddress: OwnAddress, filterPolicy: UInt8 = 0, at1M: Listening?, coded: Listening? = nil) {
        (self.ownAddress, self.filterPolicy) = (ownAddress, filterPolicy)
        (self.at1M, self.coded) = (at1M, coded)
    }

    /// What `parameters` ask for, at 1 Msymbol/s.
    public init(_ parameters: ScanParameters) {
        let listening = Listening(
            isActive: parameters.isActive, interval: parameters.interval, window: parameters.window)
        self.init(ownAddress: parameters.ownAddress, filterPolicy: parameters.filterPolicy, at1M: listening)
    }

    /// Takes 3 octets and 5 for each PHY.
    public init(from reader: inout OctetReader) throws(Malformed) {
        ownAddress = try reader.choice(OwnAddress.self, "Own_Address_Type", allowed: "0 to 3")
        filterPolicy = try reader.uint8("Scanning_Filter_Policy")
        let phys = try reader.phys("Scanning_PHYs", allowed: 0b101)
        if phys & 0b001 != 0 { at1M = try Listening(from: &reader) }
        if phys & 0b100 != 0 { coded = try Listening(from: &reader) }
    }

    /// Adds 3 octets and 5 for each PHY.
    public func append(to octets: inout [UInt8]) {
        octets += [ownAddress.rawValue, filterPolicy, (at1M == nil ? 0 : 0b001) | (coded == nil ? 0 : 0b100)]
        at1M?.append(to: &octets)
        coded?.append(to: &octets)
    }
}

/// HCI_LE_Set_Extended_Scan_Enable: Core 6.0, Vol 4, Part E, section 7.8.65.
///
/// Enable (1 octet), Filter_Duplicates (1), Duration (2, 10 ms; 0: until it is ended), Period (2, 1.28 s; 0: once).
public struct ExtendedScanEnable: Parameters {
    /// How often an advertiser is reported.
    public enum DuplicateFilter: UInt8, Sendable {
        /// As often as it is heard.
        case off
        /// Once.
        case on
        /// Once in each period.
        case eachPeriod
    }

    /// Whether scanning begins or ends.
    public var isOn: Bool
    /// How often an advertiser is reported.
    public var filter: DuplicateFilter
    /// How long, in units of 10 ms; 0: until it is ended.
    public var duration: UInt16
    /// From one beginning to the next, in units of 1.28 s; 0: once.
    public var period: UInt16

    /// By default until it is ended.
    public init(_ isOn: Bool, filter: DuplicateFilter = .off, duration: UInt16 = 0, period: UInt16 = 0) {
        (self.isOn, self.filter, self.duration, self.period) = (isOn, filter, duration, period)
    }

    /// Takes 6 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        isOn = try reader.flag("Enable")
        filter = try reader.choice(DuplicateFilter.self, "Filter_Duplicates", allowed: "0 to 2")
        duration = try reader.uint16("Duration")
        period = try reader.uint16("Period")
    }

    /// Adds 6 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(isOn)
        octets.append(filter.rawValue)
        octets.append(duration)
        octets.append(period)
    }
}
