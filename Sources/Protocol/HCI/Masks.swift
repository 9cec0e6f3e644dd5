/// The LE features of a controller or a link.  Core 6.0, Vol 6, Part B, section 4.6.
public struct LEFeatures: OptionSet, Hashable, Sendable {
    /// The first 64 bits, lowest octet first.
    public let rawValue: UInt64
    /// Any bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Bit 0: links can be encrypted.
    public static let encryption = LEFeatures(rawValue: 1 << 0)
    /// Bit 1: the Link Layer negotiates connection parameters.
    public static let connectionParametersRequest = LEFeatures(rawValue: 1 << 1)
    /// Bit 2: the rejection of a procedure contains its opcode.
    public static let extendedRejectIndication = LEFeatures(rawValue: 1 << 2)
    /// Bit 3: a peripheral may request the features, too.
    public static let peripheralFeaturesExchange = LEFeatures(rawValue: 1 << 3)
    /// Bit 4: LE Ping.
    public static let ping = LEFeatures(rawValue: 1 << 4)
    /// Bit 5: up to 251 octets in a data PDU.
    public static let dataPacketLengthExtension = LEFeatures(rawValue: 1 << 5)
    /// Bit 6: the controller resolves private addresses.
    public static let privacy = LEFeatures(rawValue: 1 << 6)
    /// Bit 8: 2 Msymbol/s.
    public static let phy2M = LEFeatures(rawValue: 1 << 8)
    /// Bit 12: advertising on the secondary channels.
    public static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
    /// Bit 14: the second channel selection algorithm.
    public static let channelSelectionAlgorithm2 = LEFeatures(rawValue: 1 << 14)
}

/// The LMP features of a controller: Core 6.0, Vol 2, Part C, section 3.3.
public struct LMPFeatures: OptionSet, Hashable, Sendable {
    /// Page 0, lowest octet first.
    public let rawValue: UInt64
    /// Any bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Bit 37: LE only.
    public static let brEDRNotSupported = LMPFeatures(rawValue: 1 << 37)
    /// Bit 38: LE.
    public static let leSupported = LMPFeatures(rawValue: 1 << 38)
}

/// The events that a host receives.  Core 6.0, Vol 4, Part E, section 7.3.1.
public struct EventMask: OptionSet, Hashable, Sendable {
    /// Lowest octet first.
    public let rawValue: UInt64
    /// Any bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Bit 4.
    public static let disconnectionComplete = EventMask(rawValue: 1 << 4)
    /// Bit 7.
    public static let encryptionChange = EventMask(rawValue: 1 << 7)
    /// Bit 11.
    public static let readRemoteVersionInformationComplete = EventMask(rawValue: 1 << 11)
    /// Bit 15.
    public static let hardwareError = EventMask(rawValue: 1 << 15)
    /// Bit 25.
    public static let dataBufferOverflow = EventMask(rawValue: 1 << 25)
    /// Bit 47.
    public static let encryptionKeyRefreshComplete = EventMask(rawValue: 1 << 47)
    /// Bit 61: all LE events.
    public static let leMeta = EventMask(rawValue: 1 << 61)
    /// The default: bits 0 to 44, so no LE events.
    public static let afterReset = EventMask(rawValue: 0x0000_1FFF_FFFF_FFFF)
}

/// The LE events that a host receives: bit n for subevent n + 1.  Core 6.0, Vol 4, Part E, section 7.8.1.
public struct LEEventMask: OptionSet, Hashable, Sendable {
    /// Lowest octet first.
    public let rawValue: UInt64
    /// Any bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Bit 0.
    public static let connectionComplete = LEEventMask(rawValue: 1 << 0)
    /// Bit 1.
    public static let advertisingReport = LEEventMask(rawValue: 1 << 1)
    /// Bit 2.
    public static let connectionUpdateComplete = LEEventMask(rawValue: 1 << 2)
    /// Bit 3.
    public static let readRemoteFeaturesComplete = LEEventMask(rawValue: 1 << 3)
    /// Bit 4.
    public static let longTermKeyRequest = LEEventMask(rawValue: 1 << 4)
    /// Bit 5.
    public static let remoteConnectionParameterRequest = LEEventMask(rawValue: 1 << 5)
    /// Bit 6.
    public static let dataLengthChange = LEEventMask(rawValue: 1 << 6)
    /// Bit 7.
    public static let readLocalP256PublicKeyComplete = LEEventMask(rawValue: 1 << 7)
    /// Bit 8.
    public static let generateDHKeyComplete = LEEventMask(rawValue: 1 << 8)
    /// Bit 9.
    public static let enhancedConnectionComplete = LEEventMask(rawValue: 1 << 9)
    /// Bit 11.
    public static let phyUpdateComplete = LEEventMask(rawValue: 1 << 11)
    /// Bit 12.
    public static let extendedAdvertisingReport = LEEventMask(rawValue: 1 << 12)
    /// Bit 17.
    public static let advertisingSetTerminated = LEEventMask(rawValue: 1 << 17)
    /// Bit 19.
    public static let channelSelectionAlgorithm = LEEventMask(rawValue: 1 << 19)
    /// The default: subevents 1 to 5.
    public static let afterReset = LEEventMask(rawValue: 0x1F)
}

/// The commands that a controller supports: 64 octets of bits.  Core 6.0, Vol 4, Part E, section 6.27.
public struct SupportedCommands: FieldwiseParameters {
    private var bits = [UInt8](repeating: 0, count: 64)

    /// The bits of `opcodes`; a command without a bit is left out.
    public init(_ opcodes: [Opcode]) {
        for opcode in opcodes {
            guard let place = opcode.supportedBit else { continue }
            bits[place.octet] |= 1 << place.bit
        }
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&bits, .octets("Supported_Commands", count: 64))
    }

    /// Whether the bit of a command is set; false for a command without a bit.
    public func contains(_ opcode: Opcode) -> Bool {
        guard let place = opcode.supportedBit else { return false }
        return bits[place.octet] & 1 << place.bit != 0
    }
}

extension LEFeatures: FieldwiseParameters {
    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&self, .number("LE_Features"))
    }
}

extension LMPFeatures: FieldwiseParameters {
    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&self, .number("LMP_Features"))
    }
}
