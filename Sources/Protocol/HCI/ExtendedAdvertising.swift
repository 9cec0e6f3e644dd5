public import Bluetooth

/// The kind of packets of an advertising set, and how peers may respond: `Advertising_Event_Properties`.
/// Core 6.0, Vol 4, Part E, section 7.8.53.
public struct AdvertisingEventProperties: OptionSet, Hashable, Sendable {
    /// Lowest octet first.
    public let rawValue: UInt16
    /// Any bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Bit 0: a central may connect.
    public static let connectable = AdvertisingEventProperties(rawValue: 1 << 0)
    /// Bit 1: a scanner may request a scan response.
    public static let scannable = AdvertisingEventProperties(rawValue: 1 << 1)
    /// Bit 2: directed to one peer.
    public static let directed = AdvertisingEventProperties(rawValue: 1 << 2)
    /// Bit 3: high duty cycle, for 1.28 s at most; directed and connectable.
    public static let highDutyCycle = AdvertisingEventProperties(rawValue: 1 << 3)
    /// Bit 4: legacy PDUs, with up to 31 octets of data.
    public static let legacy = AdvertisingEventProperties(rawValue: 1 << 4)
    /// Bit 5: without an address.
    public static let anonymous = AdvertisingEventProperties(rawValue: 1 << 5)
    /// Bit 6: with the transmit power.
    public static let includesTxPower = AdvertisingEventProperties(rawValue: 1 << 6)

    /// The legacy PDUs of `kind`: 0x0013 for ADV_IND, and so on.
    public init(legacy kind: AdvertisingParameters.Kind) {
        self =
            switch kind {
            case .undirected: [.legacy, .connectable, .scannable]
            case .directedHighDuty: [.legacy, .connectable, .directed, .highDutyCycle]
            case .scannable: [.legacy, .scannable]
            case .nonConnectable: [.legacy]
            case .directedLowDuty: [.legacy, .connectable, .directed]
            }
    }
}

/// HCI_LE_Set_Extended_Advertising_Parameters [v1]: Core 6.0, Vol 4, Part E, section 7.8.53.
public struct ExtendedAdvertisingParameters: FieldwiseParameters {
    /// Which set: 0x00 to 0xEF.
    public var handle: UInt8 = 0
    /// The kind of packets.
    public var properties: AdvertisingEventProperties = []
    /// The minimum time between advertising events, in units of 0.625 ms: 24 bits, 0x000020 or more.
    public var minimumInterval: UInt32 = 0
    /// The maximum, in units of 0.625 ms: 24 bits.
    public var maximumInterval: UInt32 = 0
    /// Bits 0 to 2: channels 37 to 39.
    public var channelMap: UInt8 = 0
    /// The address to use; a random one is that of the set.
    public var ownAddress = OwnAddress.public
    /// The target of directed advertising.
    public var peer = DeviceAddress(0, .public)
    /// 0 to 3: bit 0 for scan requests, bit 1 for connection requests; set: only peers in the accept list.
    public var filterPolicy: UInt8 = 0
    /// In dBm; 127: the controller's choice.
    public var txPower: Int8 = 127
    /// 1: 1 Msymbol/s, 3: coded.
    public var primaryPHY: UInt8 = 1
    /// The number of events that may be skipped on the secondary channels; not with legacy PDUs.
    public var secondaryMaxSkip: UInt8 = 0
    /// 1 and 2: that many Msymbol/s, 3: coded.
    public var secondaryPHY: UInt8 = 1
    /// Distinguishes the sets of an advertiser on the air: 0x00 to 0x0F.
    public var sid: UInt8 = 0
    /// Whether the controller reports scan requests.
    public var notifiesScanRequests = false

    /// Advertises as `parameters` do, with legacy PDUs.
    public init(handle: UInt8, legacy parameters: AdvertisingParameters) {
        self.handle = handle
        properties = AdvertisingEventProperties(legacy: parameters.kind)
        (minimumInterval, maximumInterval) = (UInt32(parameters.minimumInterval), UInt32(parameters.maximumInterval))
        (channelMap, filterPolicy) = (parameters.channelMap, parameters.filterPolicy)
        (ownAddress, peer) = (parameters.ownAddress, parameters.peer)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&handle, .number("Advertising_Handle"))
        try coder.code(&properties, .number("Advertising_Event_Properties"))
        try coder.code(&minimumInterval, .uint24("Primary_Advertising_Interval_Min"))
        try coder.code(&maximumInterval, .uint24("Primary_Advertising_Interval_Max"))
        try coder.code(&channelMap, .number("Primary_Advertising_Channel_Map"))
        try coder.code(&ownAddress, .ownAddress)
        try coder.code(&peer, .address("Peer_Address"))
        try coder.code(&filterPolicy, .number("Advertising_Filter_Policy"))
        try coder.code(&txPower, .number("Advertising_TX_Power"))
        try coder.code(&primaryPHY, .number("Primary_Advertising_PHY"))
        try coder.code(&secondaryMaxSkip, .number("Secondary_Advertising_Max_Skip"))
        try coder.code(&secondaryPHY, .number("Secondary_Advertising_PHY"))
        try coder.code(&sid, .number("Advertising_SID"))
        try coder.code(&notifiesScanRequests, .flag("Scan_Request_Notification_Enable"))
    }
}

/// HCI_LE_Set_Extended_Advertising_Data and HCI_LE_Set_Extended_Scan_Response_Data: Core 6.0, Vol 4, Part E,
/// sections 7.8.54 and 7.8.55.
public struct ExtendedAdvertisingData: FieldwiseParameters {
    /// The part of the data.
    public enum Operation: UInt8, Sendable {
        /// Between the first part and the last.
        case intermediate
        /// The first part.
        case first
        /// The last part.
        case last
        /// All of it.
        case complete
        /// None: the data stay the same, with a new data ID.
        case unchanged
    }

    /// The maximum number of octets in one command.
    public static let maximumDataCount = 251

    /// The set: 0x00 to 0xEF.
    public var handle: UInt8 = 0
    /// The part of the data.
    public var operation = Operation.complete
    /// 0: the controller may fragment; 1: it should avoid that.
    public var fragmentPreference: UInt8 = 0
    /// 251 octets at most.
    public var data: [UInt8] = []

    /// By default all of it, in one piece.
    public init(
        handle: UInt8, _ data: [UInt8], operation: Operation = .complete, fragmentPreference: UInt8 = 1
    ) {
        (self.handle, self.data) = (handle, data)
        (self.operation, self.fragmentPreference) = (operation, fragmentPreference)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&handle, .number("Advertising_Handle"))
        try coder.code(&operation, .number("Operation", allowed: "0 to 4"))
        try coder.code(&fragmentPreference, .number("Fragment_Preference"))
        try coder.code(&data, .counted("Data", maximum: Self.maximumDataCount))
    }
}

/// HCI_LE_Set_Extended_Advertising_Enable: Core 6.0, Vol 4, Part E, section 7.8.56.
public struct ExtendedAdvertisingEnable: FieldwiseParameters {
    /// One set, and how long it advertises.
    ///
    /// Advertising_Handle (1 octet), Duration (2), Max_Extended_Advertising_Events (1).
    public struct AdvertisingSet: FieldwiseParameters {
        /// Which: 0x00 to 0xEF.
        public var handle: UInt8 = 0
        /// In units of 10 ms; 0: no limit.
        public var duration: UInt16 = 0
        /// The maximum number of advertising events; 0: no limit.
        public var maximumEvents: UInt8 = 0

        /// By default without a limit.
        public init(handle: UInt8, duration: UInt16 = 0, maximumEvents: UInt8 = 0) {
            (self.handle, self.duration, self.maximumEvents) = (handle, duration, maximumEvents)
        }

        init() {}

        mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.code(&handle, .number("Advertising_Handle"))
            try coder.code(&duration, .number("Duration"))
            try coder.code(&maximumEvents, .number("Max_Extended_Advertising_Events"))
        }
    }

    /// Whether advertising starts or stops.
    public var isOn = false
    /// The sets, 63 at most; when advertising stops, none means all.
    public var sets: [AdvertisingSet] = []

    /// As given.
    public init(_ isOn: Bool, _ sets: [AdvertisingSet]) { (self.isOn, self.sets) = (isOn, sets) }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&isOn, .flag("Enable"))
        try coder.code(&sets, .list("Num_Sets", maximum: 63))
    }
}
