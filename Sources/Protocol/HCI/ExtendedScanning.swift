/// HCI_LE_Set_Extended_Scan_Parameters: Core 6.0, Vol 4, Part E, section 7.8.64.
public struct ExtendedScanParameters: FieldwiseParameters {
    /// How to scan on one PHY.
    ///
    /// Scan_Type (1 octet: 0 passive, 1 active), Scan_Interval (2), Scan_Window (2).
    public struct PHYParameters: FieldwiseParameters {
        /// Whether the scanner requests scan responses.
        public var isActive = false
        /// From the start of one window to the start of the next, in units of 0.625 ms; 0x0004 or more.
        public var interval: UInt16 = 0
        /// The duration of a window, in units of 0.625 ms; 0x0004 to the interval.
        public var window: UInt16 = 0

        /// As given.
        public init(isActive: Bool, interval: UInt16, window: UInt16) {
            (self.isActive, self.interval, self.window) = (isActive, interval, window)
        }

        init() {}

        mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.code(&isActive, .flag("Scan_Type"))
            try coder.code(&interval, .number("Scan_Interval"))
            try coder.code(&window, .number("Scan_Window"))
        }
    }

    /// The address of scan requests.
    public var ownAddress = OwnAddress.public
    /// 0: every advertiser; 1: only those in the accept list.
    public var filterPolicy: UInt8 = 0
    /// At 1 Msymbol/s; nil: not used.
    public var at1M: PHYParameters?
    /// On the coded PHY; nil: not used.
    public var coded: PHYParameters?

    /// As given.
    public init(ownAddress: OwnAddress, filterPolicy: UInt8 = 0, at1M: PHYParameters?, coded: PHYParameters? = nil) {
        (self.ownAddress, self.filterPolicy) = (ownAddress, filterPolicy)
        (self.at1M, self.coded) = (at1M, coded)
    }

    /// The values of `parameters`, at 1 Msymbol/s.
    public init(_ parameters: ScanParameters) {
        let at1M = PHYParameters(
            isActive: parameters.isActive, interval: parameters.interval, window: parameters.window)
        self.init(ownAddress: parameters.ownAddress, filterPolicy: parameters.filterPolicy, at1M: at1M)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&ownAddress, .ownAddress)
        try coder.code(&filterPolicy, .number("Scanning_Filter_Policy"))
        var phys: UInt8 = (at1M == nil ? 0 : 0b001) | (coded == nil ? 0 : 0b100)
        try coder.code(&phys, .phys("Scanning_PHYs", allowed: 0b101))
        try coder.code(&at1M, .parameters(if: phys & 0b001 != 0))
        try coder.code(&coded, .parameters(if: phys & 0b100 != 0))
    }
}

/// HCI_LE_Set_Extended_Scan_Enable: Core 6.0, Vol 4, Part E, section 7.8.65.
///
/// Enable (1 octet), Filter_Duplicates (1), Duration (2, 10 ms; 0: no limit), Period (2, 1.28 s; 0: once).
public struct ExtendedScanEnable: FieldwiseParameters {
    /// Which packets of an advertiser are reported.
    public enum DuplicateFilter: UInt8, Sendable {
        /// All.
        case off
        /// Only the first.
        case on
        /// Only the first in each period.
        case eachPeriod
    }

    /// Whether scanning starts or stops.
    public var isOn = false
    /// Which packets of an advertiser are reported.
    public var filter = DuplicateFilter.off
    /// The duration, in units of 10 ms; 0: no limit.
    public var duration: UInt16 = 0
    /// From one start to the next, in units of 1.28 s; 0: once.
    public var period: UInt16 = 0

    /// By default without a limit.
    public init(_ isOn: Bool, filter: DuplicateFilter = .off, duration: UInt16 = 0, period: UInt16 = 0) {
        (self.isOn, self.filter, self.duration, self.period) = (isOn, filter, duration, period)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&isOn, .flag("Enable"))
        try coder.code(&filter, .number("Filter_Duplicates", allowed: "0 to 2"))
        try coder.code(&duration, .number("Duration"))
        try coder.code(&period, .number("Period"))
    }
}
