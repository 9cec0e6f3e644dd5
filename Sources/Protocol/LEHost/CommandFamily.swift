import Bluetooth
import HCI

/// The commands by which a host advertises, scans and connects: legacy (Bluetooth 4) or extended (Bluetooth 5).
///
/// After a command of one family, a controller rejects those of the other until it is reset: Core 6.0, Vol 4, Part E,
/// section 3.1.1.  So the host chooses once, when it initializes the controller.
enum CommandFamily: Sendable {
    case legacy
    case extended

    /// The only advertising set that the host uses.
    static let advertisingSet: UInt8 = 0

    /// High-duty directed advertising must end after 1.28 s, in units of 10 ms: section 7.8.56.
    private static let highDutyDuration: UInt16 = 128

    /// A controller that has the feature must have the commands, section 3.1.  Supported Commands is not consulted:
    /// some controllers that have them, for example Bumble 0.0.236, do not list them.
    init(_ features: LEFeatures) { self = features.contains(.extendedAdvertising) ? .extended : .legacy }

    // MARK: Advertising

    /// Starts advertising on a controller that does not advertise and has no advertising set.  Uses legacy PDUs, so
    /// that every central can receive them.
    func advertise(_ advertisement: Host.Advertisement, address: DeviceAddress?, power: Int8) -> [Command] {
        switch self {
        case .legacy:
            [
                .leSetAdvertisingParameters(advertisement.parameters), .leSetAdvertisingData(advertisement.data),
                .leSetScanResponseData(advertisement.scanResponse), .leSetAdvertisingEnable(true),
            ]
        case .extended: extendedAdvertise(advertisement, address: address, power: power)
        }
    }

    /// Sets data only where they are allowed: section 7.8.54 forbids them for directed advertising, and section 7.8.55
    /// forbids scan response data for a set that is not scannable.
    private func extendedAdvertise(
        _ advertisement: Host.Advertisement, address: DeviceAddress?, power: Int8
    ) -> [Command] {
        let set = Self.advertisingSet
        var parameters = ExtendedAdvertisingParameters(handle: set, legacy: advertisement.parameters)
        parameters.txPower = power
        var commands: [Command] = [.leSetExtendedAdvertisingParameters(parameters)]
        if let address { commands.append(.leSetAdvertisingSetRandomAddress(set, address)) }
        if !parameters.properties.contains(.directed) {
            commands.append(.leSetExtendedAdvertisingData(ExtendedAdvertisingData(handle: set, advertisement.data)))
        }
        if parameters.properties.contains(.scannable) {
            let response = ExtendedAdvertisingData(handle: set, advertisement.scanResponse)
            commands.append(.leSetExtendedScanResponseData(response))
        }
        let duration = parameters.properties.contains(.highDutyCycle) ? Self.highDutyDuration : 0
        let enable = ExtendedAdvertisingEnable(true, [.init(handle: set, duration: duration)])
        return commands + [.leSetExtendedAdvertisingEnable(enable)]
    }

    /// Changes the data of a controller that advertises, as far as it differs.
    func change(_ old: Host.Advertisement, to new: Host.Advertisement) -> [Command] {
        let set = Self.advertisingSet
        var commands: [Command] = []
        if new.data != old.data {
            commands.append(
                self == .legacy
                    ? .leSetAdvertisingData(new.data)
                    : .leSetExtendedAdvertisingData(ExtendedAdvertisingData(handle: set, new.data)))
        }
        if new.scanResponse != old.scanResponse {
            commands.append(
                self == .legacy
                    ? .leSetScanResponseData(new.scanResponse)
                    : .leSetExtendedScanResponseData(ExtendedAdvertisingData(handle: set, new.scanResponse)))
        }
        return commands
    }

    var stopAdvertising: Command {
        switch self {
        case .legacy: .leSetAdvertisingEnable(false)
        case .extended: .leSetExtendedAdvertisingEnable(ExtendedAdvertisingEnable(false, []))
        }
    }

    // MARK: Scanning and connecting

    /// Starts scanning on a controller that does not scan.
    func scan(_ scan: Host.Scan) -> [Command] {
        switch self {
        case .legacy: [.leSetScanParameters(scan.parameters), .leSetScanEnable(true, scan.filterDuplicates)]
        case .extended:
            [
                .leSetExtendedScanParameters(ExtendedScanParameters(scan.parameters)),
                .leSetExtendedScanEnable(ExtendedScanEnable(true, filter: scan.filterDuplicates ? .on : .off)),
            ]
        }
    }

    var stopScanning: Command {
        switch self {
        case .legacy: .leSetScanEnable(false, false)
        case .extended: .leSetExtendedScanEnable(ExtendedScanEnable(false))
        }
    }

    func connect(_ creation: ConnectionCreation) -> Command {
        switch self {
        case .legacy: .leCreateConnection(creation)
        case .extended: .leExtendedCreateConnection(ExtendedConnectionCreation(creation))
        }
    }
}

extension Command {
    /// True: starts advertising; false: stops it; nil: does neither.
    var enablesAdvertising: Bool? {
        switch self {
        case Command.leSetAdvertisingEnable: try? Command.leSetAdvertisingEnable.parameters(of: self)
        case Command.leSetExtendedAdvertisingEnable:
            try? Command.leSetExtendedAdvertisingEnable.parameters(of: self).isOn
        default: nil
        }
    }

    /// True: starts scanning; false: stops it; nil: does neither.
    var enablesScanning: Bool? {
        switch self {
        case Command.leSetScanEnable: try? Command.leSetScanEnable.parameters(of: self).0
        case Command.leSetExtendedScanEnable: try? Command.leSetExtendedScanEnable.parameters(of: self).isOn
        default: nil
        }
    }
}
