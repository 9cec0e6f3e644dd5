import Basics
import Bluetooth
import HCI

// Private addresses: Core 6.0, Vol 4, Part E, sections 7.8.38 to 7.8.45 and 7.8.77; Vol 6, Part B, section 6.
extension Controller {
    /// From one private address to the next; the host sets another with LE Set Resolvable Private Address Timeout.
    static let defaultPrivateAddressTimeout = Duration.seconds(900)
    private static let privateAddressTimeouts: ClosedRange<UInt16> = 1...3600

    // MARK: Commands

    mutating func changePrivacy(_ command: Command, _ context: inout Context) throws(Malformed) -> HCIStatus {
        switch command {
        case Command.leSetResolvablePrivateAddressTimeout:
            let seconds = try Command.leSetResolvablePrivateAddressTimeout.parameters(of: command)
            guard Self.privateAddressTimeouts.contains(seconds) else { return .invalidParameters }
            privateAddressTimeout = .seconds(Int(seconds))
            if privateAddressDue != nil { schedulePrivateAddress(&context) }
        case Command.leSetAddressResolutionEnable:
            let isEnabled = try Command.leSetAddressResolutionEnable.parameters(of: command)
            guard !usesAddresses else { return .commandDisallowed }
            resolving.isEnabled = isEnabled
        default:
            guard !usesAddresses || !resolving.isEnabled else { return .commandDisallowed }
            return try changeResolvingList(command)
        }
        return .success
    }

    /// Whether the controller advertises, scans or initiates.
    private var usesAddresses: Bool { advertising.isOn || isScanning || creation != nil }

    private mutating func changeResolvingList(_ command: Command) throws(Malformed) -> HCIStatus {
        switch command {
        case Command.leAddDeviceToResolvingList:
            let (identity, peerKey, localKey) = try Command.leAddDeviceToResolvingList.parameters(of: command)
            guard resolving.entries.count < Capabilities.resolvingListSize else { return .memoryCapacityExceeded }
            let entry = ResolvingList.Entry(
                identity: identity, peerKey: Self.key(peerKey), localKey: Self.key(localKey))
            return resolving.add(entry) ? .success : .invalidParameters
        case Command.leRemoveDeviceFromResolvingList:
            let identity = try Command.leRemoveDeviceFromResolvingList.parameters(of: command)
            guard let index = resolving.index(of: identity) else { return .unknownConnection }
            resolving.remove(at: index)
        case Command.leSetPrivacyMode:
            let (identity, isDevicePrivacy) = try Command.leSetPrivacyMode.parameters(of: command)
            guard let index = resolving.index(of: identity) else { return .unknownConnection }
            resolving.setMode(at: index, acceptsIdentity: isDevicePrivacy)
        default: resolving.removeAll()
        }
        return .success
    }

    /// The key with the most significant octet first; nil for all zeros.
    private static func key(_ octets: [UInt8]) -> [UInt8]? {
        octets.allSatisfy { $0 == 0 } ? nil : octets.reversed()
    }

    func readPrivateAddress(_ command: Command, _ context: inout Context) throws(Malformed) {
        let address: DeviceAddress?
        if command.opcode == Command.leReadPeerResolvableAddress.opcode {
            let identity = try Command.leReadPeerResolvableAddress.parameters(of: command)
            address = resolving.index(of: identity).flatMap { resolving.entries[$0].peer }
        } else {
            address = resolving.local(for: try Command.leReadLocalResolvableAddress.parameters(of: command))
        }
        let returned = (address ?? DeviceAddress(0, .random)).octets
        complete(command.opcode, address == nil ? .unknownConnection : .success, returning: returned, &context)
    }

    // MARK: Own addresses

    /// The address with which to advertise; nil: the host has set none.
    mutating func ownAdvertisingAddress(_ context: inout Context) -> DeviceAddress? {
        let kind = advertising.parameters.ownAddress
        guard kind.isPrivate else { return own(kind) }
        preparePrivateAddresses(&context)
        return resolving.local(for: advertising.parameters.peer) ?? own(kind)
    }

    /// The addresses with which to scan or to initiate; nil: the host has set none.
    mutating func ownAddresses(_ kind: OwnAddress, _ context: inout Context) -> Radio.OwnAddresses? {
        guard let address = own(kind) else { return nil }
        if kind.isPrivate { preparePrivateAddresses(&context) }
        return Radio.OwnAddresses(address: address, isPrivate: kind.isPrivate, resolving: resolving)
    }

    private mutating func preparePrivateAddresses(_ context: inout Context) {
        guard privateAddressDue == nil else { return resolving.generateMissing(using: &chance) }
        resolving.rotate(using: &chance)
        schedulePrivateAddress(&context)
    }

    private mutating func schedulePrivateAddress(_ context: inout Context) {
        let due = context.now.advanced(by: privateAddressTimeout)
        privateAddressDue = due
        context.outbox.wake(.privateAddress(station: station), at: due)
    }

    /// Replaces the private addresses that are in use; links keep theirs.
    mutating func rotatePrivateAddresses(_ context: inout Context) {
        guard privateAddressDue == context.now else { return }
        let isAdvertisingPrivately = advertising.isOn && advertising.parameters.ownAddress.isPrivate
        guard
            isAdvertisingPrivately || isScanning && scanParameters.ownAddress.isPrivate
                || creation?.ownAddress.isPrivate == true
        else {
            privateAddressDue = nil
            return
        }
        resolving.rotate(using: &chance)
        schedulePrivateAddress(&context)
        context.radio.changeAddresses(of: station, to: resolving)
        guard isAdvertisingPrivately, let address = resolving.local(for: advertising.parameters.peer) else { return }
        context.radio.changeAdvertisement(of: station) { $0.address = address }
    }
}

extension OwnAddress {
    /// Whether the controller generates private addresses.
    var isPrivate: Bool {
        switch self {
        case .public, .random: false
        case .resolvableOrPublic, .resolvableOrRandom: true
        }
    }
}
