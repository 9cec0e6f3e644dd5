import Basics
import Bluetooth
import HCI

/// A connection that a host had before it reset its controller.
struct FormerConnection: Sendable {
    let id: ConnectionID
    let handle: UInt16
}

/// Initializes a controller: one command after the other, without those that Supported Commands does not list.
struct Initialization: Sendable {
    /// Why a controller cannot be used.
    enum Failure: Error {
        case rejected(HCIStatus)
        case malformed(Malformed)
        case noBuffers
    }

    private(set) var controller = ControllerFacts()
    /// The random address that the controller is given, if any.
    let randomAddress: DeviceAddress?
    private var supported = SupportedCommands([])
    private var position = -1
    /// Those that the controller has perhaps kept.
    private var former: [FormerConnection]

    private static let order: [any AnyCommandKind] = [
        Command.reset, Command.readLocalVersionInformation, Command.readLocalSupportedCommands,
        Command.leReadLocalSupportedFeatures, Command.leReadBufferSize, Command.readBufferSize, Command.setEventMask,
        Command.leSetEventMask, Command.readBDADDR, Command.leSetRandomAddress,
        Command.leWriteSuggestedDefaultDataLength, Command.leReadTransmitPower,
    ]
    /// The number of commands that are sent before Supported Commands is known.
    private static let unconditional = 3

    init(randomAddress: DeviceAddress?, after former: [FormerConnection] = []) {
        (self.randomAddress, self.former) = (randomAddress, former)
    }

    /// The next command; nil when the controller is ready.
    mutating func next() throws(Failure) -> Command? {
        if position == 0, let connection = former.first { return .disconnect(connection.handle, .remotePowerOff) }
        while position + 1 < Self.order.count {
            position += 1
            let kind = Self.order[position]
            if position >= Self.unconditional, !supported.contains(kind.opcode) { continue }
            if let command = command(kind.opcode) { return command }
        }
        guard controller.bufferCount > 0, controller.bufferLength >= 27 else { throw .noBuffers }
        return nil
    }

    /// Takes the return parameters of a command.  Returns the connection that the reset should have ended, but this
    /// command perhaps ends.
    mutating func receive(_ returned: [UInt8], for command: Command) throws(Failure) -> FormerConnection? {
        if Command.disconnect ~= command, !former.isEmpty {
            let connection = former.removeFirst()
            return returned.first == HCIStatus.success.rawValue ? connection : nil
        }
        if Command.leReadTransmitPower ~= command {  // nothing depends on it
            controller.transmitPower = Self.transmitPower(returned)
            return nil
        }
        guard let status = returned.first.map(HCIStatus.init(rawValue:)), status == .success else {
            throw .rejected(returned.first.map(HCIStatus.init(rawValue:)) ?? .unspecified)
        }
        do throws(Malformed) {
            try read(Array(returned.dropFirst()), of: command)
        } catch {
            throw .malformed(error)
        }
        return nil
    }

    private func command(_ opcode: Opcode) -> Command? {
        switch opcode {
        case Command.readBufferSize.opcode: controller.bufferCount == 0 ? .readBufferSize() : nil
        case Command.setEventMask.opcode:
            .setEventMask([
                .disconnectionComplete, .encryptionChange, .readRemoteVersionInformationComplete, .hardwareError,
                .encryptionKeyRefreshComplete, .leMeta,
            ])
        case Command.leSetEventMask.opcode: .leSetEventMask(events)
        case Command.leSetRandomAddress.opcode: randomAddress.map { .leSetRandomAddress($0) }
        case Command.leWriteSuggestedDefaultDataLength.opcode:
            controller.features.contains(.dataPacketLengthExtension)
                ? .leWriteSuggestedDefaultDataLength(.maximum) : nil
        case Command.leReadTransmitPower.opcode:
            CommandFamily(controller.features) == .extended ? .leReadTransmitPower() : nil
        default: Command(opcode, parameters: [])
        }
    }

    /// `Min_TX_Power` and `Max_TX_Power`: Core 6.0, Vol 4, Part E, section 7.8.74.
    private static func transmitPower(_ returned: [UInt8]) -> ClosedRange<Int8>? {
        guard returned.first == HCIStatus.success.rawValue, returned.count == 3 else { return nil }
        let (minimum, maximum) = (Int8(bitPattern: returned[1]), Int8(bitPattern: returned[2]))
        return minimum <= maximum ? minimum...maximum : nil
    }

    private var events: LEEventMask {
        let events: LEEventMask = [
            .connectionComplete, .advertisingReport, .connectionUpdateComplete, .readRemoteFeaturesComplete,
            .longTermKeyRequest, .remoteConnectionParameterRequest, .dataLengthChange,
        ]
        switch CommandFamily(controller.features) {
        case .legacy: return events
        case .extended:
            return events.union([
                .enhancedConnectionComplete, .extendedAdvertisingReport, .advertisingSetTerminated,
            ])
        }
    }

    private mutating func read(_ octets: [UInt8], of command: Command) throws(Malformed) {
        switch command {
        case Command.readLocalVersionInformation: controller.version = try LocalVersion(octets: octets)
        case Command.readLocalSupportedCommands: supported = try SupportedCommands(octets: octets)
        case Command.leReadLocalSupportedFeatures: controller.features = try LEFeatures(octets: octets)
        case Command.leReadBufferSize:
            let size = try LEBufferSize(octets: octets)
            guard size.length > 0 else { return }  // LE shares the buffers that `readBufferSize` returns
            (controller.bufferLength, controller.bufferCount) = (Int(size.length), Int(size.count))
        case Command.readBufferSize:
            let size = try HostBufferSize(octets: octets)
            (controller.bufferLength, controller.bufferCount) = (Int(size.aclLength), Int(size.aclCount))
        case Command.readBDADDR:
            var reader = OctetReader(octets)
            controller.publicAddress = try DeviceAddress(kind: .public, from: &reader, "BD_ADDR")
            try reader.finish()
        default: break
        }
    }
}
