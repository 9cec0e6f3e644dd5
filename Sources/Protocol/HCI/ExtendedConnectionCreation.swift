public import Bluetooth

/// HCI_LE_Extended_Create_Connection [v1]: Core 6.0, Vol 4, Part E, section 7.8.66.
public struct ExtendedConnectionCreation: FieldwiseParameters {
    /// How to connect on one PHY.
    ///
    /// Scan_Interval (2 octets), Scan_Window (2), `ConnectionParameters` (8), CE_Length (2 + 2).
    public struct Initiation: FieldwiseParameters {
        /// From the start of one window to the start of the next, in units of 0.625 ms; unused at 2 Msymbol/s.
        public var scanInterval: UInt16 = 0
        /// The duration of a window, in units of 0.625 ms; unused at 2 Msymbol/s.
        public var scanWindow: UInt16 = 0
        /// The parameters of the connection.
        public var parameters = ConnectionParameters.zero
        /// A hint, in units of 0.625 ms.
        public var minimumEventLength: UInt16 = 0
        /// A hint, in units of 0.625 ms.
        public var maximumEventLength: UInt16 = 0

        /// The values of `creation`.
        public init(_ creation: ConnectionCreation) {
            (scanInterval, scanWindow) = (creation.scanInterval, creation.scanWindow)
            parameters = creation.parameters
            (minimumEventLength, maximumEventLength) = (creation.minimumEventLength, creation.maximumEventLength)
        }

        init() {}

        mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
            try coder.code(&scanInterval, .number("Scan_Interval"))
            try coder.code(&scanWindow, .number("Scan_Window"))
            try coder.code(&parameters, .parameters())
            try coder.code(&minimumEventLength, .number("Min_CE_Length"))
            try coder.code(&maximumEventLength, .number("Max_CE_Length"))
        }
    }

    /// Whether to connect to any peer in the accept list; `peer` is then ignored.
    public var usesAcceptList = false
    /// The address to use.
    public var ownAddress = OwnAddress.public
    /// The peer to connect to.
    public var peer = DeviceAddress(0, .public)
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

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&usesAcceptList, .flag("Initiator_Filter_Policy"))
        try coder.code(&ownAddress, .ownAddress)
        try coder.code(&peer, .address("Peer_Address"))
        var phys: UInt8 = (at1M == nil ? 0 : 0b001) | (at2M == nil ? 0 : 0b010) | (coded == nil ? 0 : 0b100)
        try coder.code(&phys, .phys("Initiating_PHYs", allowed: 0b111))
        try coder.code(&at1M, .parameters(if: phys & 0b001 != 0))
        try coder.code(&at2M, .parameters(if: phys & 0b010 != 0))
        try coder.code(&coded, .parameters(if: phys & 0b100 != 0))
    }
}
