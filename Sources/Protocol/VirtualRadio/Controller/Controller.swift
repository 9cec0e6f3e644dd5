import Basics
import Bluetooth
import Cryptography
import HCI

/// A virtual controller: HCI on one side, a radio on the other.  Core 6.0, Vol 4, Part E.
///
/// `Capabilities` lists what it supports; the answer to any other command is Unknown HCI Command (0x01).
struct Controller: Sendable {
    /// A link, as HCI sees it.
    struct Linked: Sendable {
        let handle: UInt16
        let radio: Radio.Connection
        /// As in CONNECT_IND.
        let own: DeviceAddress
        /// The identity address, if the controller has resolved it.
        let peer: DeviceAddress
        var parameters: ConnectionTiming
        var requestsFeatures = false
        var requestsVersion = false
        var hasSentVersion = false
        var version: LinkVersion?
        var termination: HCIStatus?  // what its host learns when the peer has acknowledged LL_TERMINATE_IND
        var isUpdating = false
        var waiting = 0  // ACL packets that the peer has not acknowledged
        var lengths: DataLengthUpdate
    }

    /// The encryption of a link; not in `Linked`, which each packet copies.
    struct Encrypted: Sendable {
        var procedure = LinkEncryption()
        var responseDue: Instant?  // the end of patience with the peer
    }

    /// Its own advertising.
    struct Advertising: Sendable {
        var parameters = AdvertisingParameters(minimumInterval: 0x0800, maximumInterval: 0x0800)
        var data: [UInt8] = []
        var scanResponse: [UInt8] = []
        var isOn = false
    }

    /// Its number in the air.
    let station: Int
    private var hasPower = true
    var isHostCongested = false
    var publicAddress: DeviceAddress
    /// Its public address after the next start of advertising or reset.
    var assignedAddress: DeviceAddress
    var chance: RandomStream

    // The state that a reset restores.
    var randomAddress: DeviceAddress?
    var eventMask = EventMask.afterReset
    var leEventMask = LEEventMask.afterReset
    var advertising = Advertising()
    var scanParameters = ScanParameters(isActive: false, interval: 0x10, window: 0x10)
    var isScanning = false
    var reported: Set<ReportKey>?  // nil: without the duplicate filter
    var creation: ConnectionCreation?
    var acceptList: [DeviceAddress] = []
    var resolving = ResolvingList()
    var privateAddressTimeout = Controller.defaultPrivateAddressTimeout
    var privateAddressDue: Instant?  // nil: the private addresses are too old, or do not exist
    var suggestedLength = DataLength.minimum  // of new links
    var keyPair: P256KeyPair?
    var links: [Linked] = []
    var encrypted: [UInt16: Encrypted] = [:]  // by handle; a link that has never begun encryption has none
    var waiting = 0  // ACL packets of all links, which share the buffers

    /// The key of a report in the duplicate filter.
    struct ReportKey: Hashable {
        let address: DeviceAddress
        let isResponse: Bool
    }

    init(station: Int, publicAddress: DeviceAddress, chance: RandomStream) {
        (self.station, self.publicAddress, self.chance) = (station, publicAddress, chance)
        assignedAddress = publicAddress
    }

    // MARK: From the host

    /// Handles a packet of the host, without its H4 indicator, and owns it.
    mutating func receive(_ kind: PacketKind, _ packet: Packet, _ context: inout Context) {
        guard hasPower else { return context.pool.release(packet) }
        switch kind {
        case .command:
            let octets = context.pool.octets(of: packet)
            context.pool.release(packet)
            receive(command: octets, &context)
        case .acl: send(packet, &context)
        case .synchronous, .isochronous, .event: context.pool.release(packet)
        }
    }

    private mutating func receive(command octets: [UInt8], _ context: inout Context) {
        guard let opcode = Opcode(ofCommand: octets) else { return }
        guard Capabilities.commands.contains(opcode) else { return status(.unknownCommand, opcode, &context) }
        do throws(Malformed) {
            let command = try Command(octets: octets)
            try command.check()
            try carryOut(command, &context)
        } catch {
            if Capabilities.startingCommands.contains(opcode) {
                status(.invalidParameters, opcode, &context)
            } else {
                complete(opcode, .invalidParameters, &context)
            }
        }
    }

    private mutating func carryOut(_ command: Command, _ context: inout Context) throws(Malformed) {
        let opcode = command.opcode
        switch command {
        case Command.reset:
            reset(&context)
            complete(opcode, .success, &context)
        case Command.setEventMask:
            eventMask = try Command.setEventMask.parameters(of: command)
            complete(opcode, .success, &context)
        case Command.leSetEventMask:
            leEventMask = try Command.leSetEventMask.parameters(of: command)
            complete(opcode, .success, &context)
        case Command.setEventMaskPage2: complete(opcode, .success, &context)
        case Command.leSetRandomAddress:
            setRandomAddress(try Command.leSetRandomAddress.parameters(of: command), opcode, &context)
        case Command.leSetAdvertisingParameters:
            setAdvertisingParameters(try Command.leSetAdvertisingParameters.parameters(of: command), opcode, &context)
        case Command.leSetAdvertisingData:
            advertising.data = try Command.leSetAdvertisingData.parameters(of: command)
            context.radio.changeAdvertisement(of: station) { $0.data = advertising.data }
            complete(opcode, .success, &context)
        case Command.leSetScanResponseData:
            advertising.scanResponse = try Command.leSetScanResponseData.parameters(of: command)
            context.radio.changeAdvertisement(of: station) { $0.scanResponse = advertising.scanResponse }
            complete(opcode, .success, &context)
        case Command.leSetAdvertisingEnable:
            setAdvertising(try Command.leSetAdvertisingEnable.parameters(of: command), opcode, &context)
        case Command.leSetScanParameters:
            setScanParameters(try Command.leSetScanParameters.parameters(of: command), opcode, &context)
        case Command.leSetScanEnable:
            let (isOn, filtersDuplicates) = try Command.leSetScanEnable.parameters(of: command)
            setScanning(isOn, filterDuplicates: filtersDuplicates, opcode, &context)
        case Command.leCreateConnection:
            create(try Command.leCreateConnection.parameters(of: command), opcode, &context)
        case Command.leCreateConnectionCancel: cancelCreation(opcode, &context)
        case Command.leClearFilterAcceptList, Command.leAddDeviceToFilterAcceptList,
            Command.leRemoveDeviceFromFilterAcceptList:
            complete(opcode, try changeAcceptList(command), &context)
        case Command.leAddDeviceToResolvingList, Command.leRemoveDeviceFromResolvingList,
            Command.leClearResolvingList, Command.leSetAddressResolutionEnable, Command.leSetPrivacyMode,
            Command.leSetResolvablePrivateAddressTimeout:
            complete(opcode, try changePrivacy(command, &context), &context)
        case Command.leReadPeerResolvableAddress, Command.leReadLocalResolvableAddress:
            try readPrivateAddress(command, &context)
        case Command.disconnect, Command.leConnectionUpdate, Command.leReadRemoteFeatures,
            Command.readRemoteVersionInformation:
            status(try startProcedure(command, &context), opcode, &context)
            answerKnownVersions(&context)
        case Command.leEnableEncryption:
            enableEncryption(try Command.leEnableEncryption.parameters(of: command), opcode, &context)
        case Command.leLongTermKeyRequestReply:
            let (handle, key) = try Command.leLongTermKeyRequestReply.parameters(of: command)
            answerKeyRequest(of: handle, key: key.reversed(), opcode, &context)
        case Command.leLongTermKeyRequestNegativeReply:
            let handle = try Command.leLongTermKeyRequestNegativeReply.parameters(of: command)
            answerKeyRequest(of: handle, key: nil, opcode, &context)
        case Command.leEncrypt:
            let (key, block) = try Command.leEncrypt.parameters(of: command)
            encrypt(block, key: key, opcode, &context)
        case Command.leReadLocalP256PublicKey: generateKeyPair(opcode, &context)
        case Command.leGenerateDHKey, Command.leGenerateDHKeyV2:
            try generateSharedSecret(command, &context)
        case Command.readRSSI: readRSSI(of: try Command.readRSSI.parameters(of: command), opcode, &context)
        case Command.leSetDataLength, Command.leReadSuggestedDefaultDataLength,
            Command.leWriteSuggestedDefaultDataLength, Command.leReadMaximumDataLength:
            try carryOutLengthCommand(command, &context)
        default: answer(command, &context)
        }
    }

    /// Commands that only read.
    private mutating func answer(_ command: Command, _ context: inout Context) {
        var returned: [UInt8] = []
        switch command {
        case Command.readLocalVersionInformation: returned = Capabilities.localVersion.octets
        case Command.readLocalSupportedCommands: returned = SupportedCommands(Capabilities.commands).octets
        case Command.readLocalSupportedFeatures: returned = Capabilities.lmpFeatures.octets
        case Command.leReadLocalSupportedFeatures: returned = Capabilities.features.octets
        case Command.leReadBufferSize: returned = Capabilities.buffers.octets
        case Command.readBDADDR: returned = publicAddress.octets
        case Command.leReadAdvertisingPhysicalChannelTxPower:
            returned = [UInt8(bitPattern: context.radio.air.stations[station].power)]
        case Command.leReadFilterAcceptListSize: returned = [UInt8(Capabilities.acceptListSize)]
        case Command.leReadResolvingListSize: returned = [UInt8(Capabilities.resolvingListSize)]
        case Command.leRand: returned.append(littleEndian: chance.next())
        case Command.leReadSupportedStates: returned.append(littleEndian: Capabilities.states)
        default: return status(.unknownCommand, command.opcode, &context)
        }
        complete(command.opcode, .success, returning: returned, &context)
    }

    private mutating func reset(_ context: inout Context) {
        leave(&context)
        let isHostCongested = isHostCongested
        self = Controller(station: station, publicAddress: assignedAddress, chance: chance)
        self.isHostCongested = isHostCongested
    }

    mutating func setPower(_ isOn: Bool, _ context: inout Context) {
        guard isOn != hasPower else { return }
        if !isOn { send(.hardwareError(0), &context) }
        reset(&context)
        hasPower = isOn
        if isOn { send(.commandComplete(1, .none, []), &context) }
    }

    /// Stops everything without events to the host.  Its links end at the other side by supervision timeout.
    mutating func leave(_ context: inout Context) {
        context.radio.stopAdvertising(station)
        context.radio.scan(nil, from: station, at: context.now, into: &context.outbox)
        context.radio.initiate(nil, from: station, at: context.now, into: &context.outbox)
        for link in links {
            context.radio.close(link.radio, at: context.now, pool: &context.pool, into: &context.outbox)
        }
        links.removeAll()
        encrypted.removeAll()
        waiting = 0
        privateAddressDue = nil
    }

    // MARK: From the radio

    /// Handles an indication of the radio for this station.
    mutating func indicated(_ indication: Radio.Indication, _ context: inout Context) {
        switch indication {
        case .received(let station, let isResponse, let rssi):
            report(from: station, isResponse: isResponse, rssi: rssi, &context)
        case .advertisingTimedOut: advertisingTimedOut(&context)
        case .connected(let connection, let own, let peer, let parameters):
            connected(connection, own: own, peer: peer, parameters, &context)
        case .link(let connection, let output): handle(output, connection, &context)
        case .responseDue(let connection): responseTimedOut(connection, &context)
        case .privateAddressDue: rotatePrivateAddresses(&context)
        }
    }

    // MARK: To the host

    /// The public or random address; nil: the host has set none.
    func own(_ kind: OwnAddress) -> DeviceAddress? {
        switch kind {
        case .public, .resolvableOrPublic: publicAddress
        case .random, .resolvableOrRandom: randomAddress
        }
    }

    func complete(_ opcode: Opcode, _ status: HCIStatus, returning returned: [UInt8] = [], _ context: inout Context) {
        send(.complete(opcode, status, returned), &context)
    }

    func status(_ status: HCIStatus, _ opcode: Opcode, _ context: inout Context) {
        send(.commandStatus(status, 1, opcode), &context)
    }

    func send(_ event: Event, _ context: inout Context) {
        context.outbox.outputs.append(.toHost(controller: station, .event, context.pool.take(event.octets)))
    }

    /// Sends an event unless the host has masked it.
    func send(_ event: Event, if mask: LEEventMask, _ context: inout Context) {
        guard eventMask.contains(.leMeta), leEventMask.contains(mask) else { return }
        send(event, &context)
    }

    /// Sends an event unless the host has masked it.
    func send(_ event: Event, if mask: EventMask, _ context: inout Context) {
        guard eventMask.contains(mask) else { return }
        send(event, &context)
    }
}
