public import Bluetooth
public import Octets

/// HCI_LE_Extended_Create_Connection [v1]: Core 6.0, Vol 4, Part E, section 7.8.66.
///
/// | Octets  | Field                   | Meaning                                              |
/// |---------|-------------------------|------------------------------------------------------|
/// | 1       | Initiator_Filter_Policy | 1: any peer in the accept list                       |
/// | 1       | Own_Address_Type        | see `OwnAddress`                                     |
/// | 1 + 6   | Peer_Address            |                                                      |
/// | 1       | Initiating_PHYs         | bits 0 and 1: 1 and 2 Msymbol/s, bit 2: coded        |
/// | 16 each |                         | see `Initiation`; for each PHY, the lower bit first  |
public struct ExtendedConnectionCreation: Parameters {
    /// How to connect on one PHY.
    ///
    /// Scan_Interval (2 octets), Scan_Window (2), `ConnectionParameters` (8), CE_Length (2 + 2).
    public struct Initiation: Parameters {
        /// From the start of one window to the start of the next, in units of 0.625 ms; unused at 2 Msymbol/s.
        public var scanInterval: UInt16
        /// The duration of a window, in units of 0.625 ms; unused at 2 Msymbol/s.
        public var scanWindow: UInt16
        /// The parameters of the connection.
        public var parameters: ConnectionParameters
        /// A hint, in units of 0.625 ms.
        public var minimumEventLength: UInt16
        /// A hint, in units of 0.625 ms.
        public var maximumEventLength: UInt16

        /// The values of `creation`.
        public init(_ creation: ConnectionCreation) {
            (scanInterval, scanWindow) = (creation.scanInterval, creation.scanWindow)
            parameters = creation.parameters
            (minimumEventLength, maximumEventLength) = (creation.minimumEventLength, creation.maximumEventLength)
        }

        /// Reads 16 octets.
        public init(from reader: inout OctetReader) throws(Malformed) {
            scanInterval = try reader.uint16("Scan_Interval")
            scanWindow = try reader.uint16("Scan_Window")
            parameters = try ConnectionParameters(from: &reader)
            minimumEventLength = try reader.uint16("Min_CE_Length")
            maximumEventLength = try reader.uint16("Max_CE_Length")
        }

        /// Appends 16 octets.
        public func append(to octets: inout [UInt8]) {
            octets.append(scanInterval)
            octets.append(scanWindow)
            octets += parameters.octets
            octets.append(minimumEventLength)
            octets.append(maximumEventLength)
        }
    }

    /// Whether to connect to any peer in the accept list; `peer` is then ignored.
    public var usesAcceptList: Bool
    /// The address to use.
    public var ownAddress: OwnAddress
    /// The peer to connect to.
    public var peer: DeviceAddress
    /// At 1 Msymbol/s; nil: not used.
    public var at1M: Initiation?
    /// At 2 Msymbol/s; nil: not used.
    public var at2M: Initiation?
    /// On the coded PHY; nil: not used.
    public var coded: Initiation?

    /// The values of `creation`, at 1 Msymbol/s.
    public init(_ creation: ConnectionCreation) {
        (usesAcceptList, ownAddress, peer) = (creation.usesAcceptList, creation.ownAddress, creation.peer)
        at1M = Initiation(creation)
    }

    /// Reads 10 octets and 16 for each PHY.
    public init(from reader: inout OctetReader) throws(Malformed) {
        usesAcceptList = try reader.flag("Initiator_Filter_Policy")
        ownAddress = try reader.choice(OwnAddress.self, "Own_Address_Type", allowed: "0 to 3")
        peer = try reader.address("Peer_Address")
        let phys = try reader.phys("Initiating_PHYs", allowed: 0b111)
        if phys & 0b001 != 0 { at1M = try Initiation(from: &reader) }
        if phys & 0b010 != 0 { at2M = try Initiation(from: &reader) }
        if phys & 0b100 != 0 { coded = try Initiation(from: &reader) }
    }

    /// Appends 10 octets and 16 for each PHY.
    public func append(to octets: inout [UInt8]) {
        octets.append(usesAcceptList)
        octets.append(ownAddress.rawValue)
        octets.append(peer)
        octets.append((at1M == nil ? 0 : 0b001) | (at2M == nil ? 0 : 0b010) | (coded == nil ? 0 : 0b100) as UInt8)
        at1M?.append(to: &octets)
        at2M?.append(to: &octets)
        coded?.append(to: &octets)
    }
}
