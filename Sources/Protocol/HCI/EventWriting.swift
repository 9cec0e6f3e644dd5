public import Bluetooth
import Octets

extension Event {
    /// The answer to a command that is done: a status, and what it returns with it.
    public static func complete(
        _ opcode: Opcode, _ status: HCIStatus = .success, _ returned: [UInt8] = [], allowed: UInt8 = 1
    ) -> Event {
        .commandComplete(allowed: allowed, opcode, returned: [status.rawValue] + returned)
    }

    /// The packet as it is sent.
    public var octets: [UInt8] {
        let parameters = self.parameters.prefix(255)
        return [code, UInt8(clamping: parameters.count)] + parameters
    }

    private var code: UInt8 {
        switch self {
        case .disconnectionComplete: 0x05
        case .encryptionChange: 0x08
        case .readRemoteVersionInformationComplete: 0x0C
        case .commandComplete: 0x0E
        case .commandStatus: 0x0F
        case .hardwareError: 0x10
        case .numberOfCompletedPackets: 0x13
        case .dataBufferOverflow: 0x1A
        case .encryptionKeyRefreshComplete: 0x30
        case .unknown(let code, _): code
        default: 0x3E
        }
    }

    private var parameters: [UInt8] {
        var octets: [UInt8] = []
        switch self {
        case .disconnectionComplete(let status, let handle, let reason):
            octets.append(status, handle)
            octets.append(reason.rawValue)
        case .encryptionChange(let status, let handle, let enabled):
            octets.append(status, handle)
            octets.append(enabled)
        case .readRemoteVersionInformationComplete(let status, let handle, let version):
            octets.append(status, handle)
            version.append(to: &octets)
        case .commandComplete(let allowed, let opcode, let returned):
            octets.append(allowed)
            octets.append(opcode.rawValue)
            octets += returned
        case .commandStatus(let status, let allowed, let opcode):
            octets += [status.rawValue, allowed]
            octets.append(opcode.rawValue)
        case .hardwareError(let code), .dataBufferOverflow(let code): octets.append(code)
        case .numberOfCompletedPackets(let list):
            octets.append(UInt8(clamping: list.count))
            for completed in list.prefix(255) { completed.append(to: &octets) }
        case .encryptionKeyRefreshComplete(let status, let handle): octets.append(status, handle)
        case .unknown(_, let parameters): octets = parameters
        default: appendLowEnergy(to: &octets)
        }
        return octets
    }

    private func appendLowEnergy(to octets: inout [UInt8]) {
        switch self {
        case .leConnectionComplete(let status, let connection):
            octets += [0x01, status.rawValue]
            connection.append(to: &octets, between: [])
        case .leAdvertisingReport(let reports):
            octets += [0x02, UInt8(clamping: reports.count)]
            for report in reports.prefix(255) { report.append(to: &octets) }
        case .leConnectionUpdateComplete(let status, let handle, let timing):
            octets += [0x03]
            octets.append(status, handle)
            timing.append(to: &octets)
        case .leReadRemoteFeaturesComplete(let status, let handle, let features):
            octets += [0x04]
            octets.append(status, handle)
            features.append(to: &octets)
        case .leLongTermKeyRequest(let handle, let random, let diversifier):
            octets += [0x05]
            octets.append(handle)
            octets.append(random)
            octets.append(diversifier)
        case .leRemoteConnectionParameterRequest(let handle, let parameters):
            octets += [0x06]
            octets.append(handle)
            octets += parameters.octets
        case .leDataLengthChange(let handle, let sending, let receiving):
            octets += [0x07]
            octets.append(handle)
            sending.append(to: &octets)
            receiving.append(to: &octets)
        case .leEnhancedConnectionComplete(let status, let connection, let localPrivate, let peerPrivate):
            octets += [0x0A, status.rawValue]
            let addresses = [localPrivate, peerPrivate].flatMap { DeviceAddress($0, .random).octets }
            connection.append(to: &octets, between: addresses)
        case .lePHYUpdateComplete(let status, let handle, let sending, let receiving):
            octets += [0x0C]
            octets.append(status, handle)
            octets += [sending, receiving]
        case .leExtendedAdvertisingReport(let reports):
            octets += [0x0D, UInt8(clamping: reports.count)]
            for report in reports.prefix(255) { report.append(to: &octets) }
        case .leAdvertisingSetTerminated(let status, let termination):
            octets += [0x12, status.rawValue]
            termination.append(to: &octets)
        case .leChannelSelectionAlgorithm(let handle, let algorithm):
            octets += [0x14]
            octets.append(handle)
            octets.append(algorithm)
        default: break
        }
    }
}

extension ConnectionComplete {
    fileprivate func append(to octets: inout [UInt8], between: [UInt8]) {
        octets.append(handle)
        octets.append(role.rawValue)
        octets.append(peer)
        octets += between
        timing.append(to: &octets)
        octets.append(clockAccuracy)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ status: HCIStatus, _ handle: UInt16) {
        append(status.rawValue)
        append(handle)
    }
}
