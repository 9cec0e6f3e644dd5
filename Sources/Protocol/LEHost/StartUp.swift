import Bluetooth
import HCI
import Octets

/// What a host asks of a controller before it uses it, one command after the other, without those that Supported
/// Commands does not offer.
struct StartUp: Sendable {
    /// Why a controller is of no use.
    enum Trouble: Error {
        case refused(HCIStatus)
        case malformed(Malformed)
        case noBuffers
    }

    private(set) var controller = ControllerFacts()
    /// The one that the controller is given.
    let randomAddress: DeviceAddress?
    private var supported = SupportedCommands([])
    private var position = -1

    private static let order: [Opcode] = [
        .reset, .readLocalVersionInformation, .readLocalSupportedCommands, .leReadLocalSupportedFeatures,
        .leReadBufferSize, .readBufferSize, .setEventMask, .leSetEventMask, .readBDADDR, .leSetRandomAddress,
        .leWriteSuggestedDefaultDataLength,
    ]
    /// Before Supported Commands are known, there is nothing to look them up in.
    private static let unconditional = 3

    init(randomAddress: DeviceAddress?) { self.randomAddress = randomAddress }

    /// The next command; nil when all is done.
    mutating func next() throws(Trouble) -> Command? {
        while position + 1 < Self.order.count {
            position += 1
            if position >= Self.unconditional, !supported.contains(Self.order[position]) { continue }
            if let command = command(Self.order[position]) { return command }
        }
        guard controller.bufferCount > 0, controller.bufferLength >= 27 else { throw .noBuffers }
        return nil
    }

    /// Takes what a command returned; what is not read here is only asked whether it went well.
    mutating func receive(_ returned: [UInt8], for command: Command) throws(Trouble) {
        guard let status = returned.first.map(HCIStatus.init(rawValue:)), status == .success else {
            throw .refused(returned.first.map(HCIStatus.init(rawValue:)) ?? .unspecified)
        }
        do throws(Malformed) {
            try read(Array(returned.dropFirst()), of: command)
        } catch {
            throw .malformed(error)
        }
    }

    private func command(_ opcode: Opcode) -> Command? {
        switch opcode {
        case .reset: .reset
        case .readLocalVersionInformation: .readLocalVersionInformation
        case .readLocalSupportedCommands: .readLocalSupportedCommands
        case .leReadLocalSupportedFeatures: .leReadLocalSupportedFeatures
        case .leReadBufferSize: .leReadBufferSize
        case .readBufferSize: controller.bufferCount == 0 ? .readBufferSize : nil
        case .setEventMask:
            .setEventMask([
                .disconnectionComplete, .encryptionChange, .readRemoteVersionInformationComplete, .hardwareError,
                .encryptionKeyRefreshComplete, .leMeta,
            ])
        case .leSetEventMask: .leSetEventMask(events)
        case .readBDADDR: .readBDADDR
        case .leSetRandomAddress: randomAddress.map { .leSetRandomAddress($0) }
        case .leWriteSuggestedDefaultDataLength where controller.features.contains(.dataPacketLengthExtension):
            .leWriteSuggestedDefaultDataLength(.longest)
        default: nil
        }
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
        case .readLocalVersionInformation: controller.version = try LocalVersion(octets: octets)
        case .readLocalSupportedCommands: supported = try SupportedCommands(octets: octets)
        case .leReadLocalSupportedFeatures: controller.features = try LEFeatures(octets: octets)
        case .leReadBufferSize:
            let size = try LEBufferSize(octets: octets)
            guard size.length > 0 else { return }  // LE has no buffers of its own: `readBufferSize` is next
            (controller.bufferLength, controller.bufferCount) = (Int(size.length), Int(size.count))
        case .readBufferSize:
            let size = try HostBufferSize(octets: octets)  // the controller's has the same fields
            (controller.bufferLength, controller.bufferCount) = (Int(size.aclLength), Int(size.aclCount))
        case .readBDADDR:
            var reader = OctetReader(octets)
            controller.publicAddress = try DeviceAddress(kind: .public, from: &reader, "BD_ADDR")
            try reader.finish()
        default: break
        }
    }
}
