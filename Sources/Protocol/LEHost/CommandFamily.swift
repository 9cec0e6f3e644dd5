import Bluetooth
import HCI

/// The commands by which a host advertises, scans and connects: those of Bluetooth 4, or the extended ones.
///
/// After a command of the one family, a controller refuses those of the other until it is reset: Core 6.0, Vol 4,
/// Part E, section 3.1.1.  So a host chooses once, when it starts.
enum CommandFamily: Sendable {
    case legacy
    case extended

    /// The only advertising set of a host.
    static let advertisingSet: UInt8 = 0

    /// High-duty directed advertising has to end after 1.28 s, in units of 10 ms: section 7.8.56.
    private static let highDutyDuration: UInt16 = 128

    /// A controller that has the feature must have the commands, section 3.1.  Whether Supported Commands names them
    /// is not asked: some that have them, as those of Bumble 0.0.236, forget to say so.
    init(_ features: LEFeatures) { self = features.contains(.extendedAdvertising) ? .extended : .legacy }

    // MARK: Advertising

    /// From a controller that does not advertise, and has no advertising set, to one that does; by legacy PDUs, so
    /// that every central can hear them.
    func advertise(_ advertisement: Host.Advertisement, address: DeviceAddress?) -> [Command] {
        switch self {
        case .legacy:
            [
                .leSetAdvertisingParameters(advertisement.parameters), .leSetAdvertisingData(advertisement.data),
                .leSetScanResponseData(advertisement.scanResponse), .leSetAdvertisingEnable(true),
            ]
        case .extended: extendedAdvertise(advertisement, address: address)
        }
    }

    /// Data are set only where there is room for them: section 7.8.54 refuses those of directed advertising, and
    /// section 7.8.55 those of a set that cannot be scanned.
    private func extendedAdvertise(_ advertisement: Host.Advertisement, address: DeviceAddress?) -> [Command] {
        let set = Self.advertisingSet
        let parameters = ExtendedAdvertisingParameters(handle: set, legacy: advertisement.parameters)
        var commands: [Command] = [.leSetExtendedAdvertisingParameters(parameters)]
        if let address { commands.append(.leSetAdvertisingSetRandomAddress(set: set, address)) }
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

    var stopAdvertising: Command {
        switch self {
        case .legacy: .leSetAdvertisingEnable(false)
        case .extended: .leSetExtendedAdvertisingEnable(ExtendedAdvertisingEnable(false, []))
        }
    }

    // MARK: Scanning and connecting

    /// From a controller that does not scan to one that does.
    func scan(_ scan: Host.Scan) -> [Command] {
        switch self {
        case .legacy:
            [
                .leSetScanParameters(scan.parameters),
                .leSetScanEnable(true, filterDuplicates: scan.filterDuplicates),
            ]
        case .extended:
            [
                .leSetExtendedScanParameters(ExtendedScanParameters(scan.parameters)),
                .leSetExtendedScanEnable(ExtendedScanEnable(true, filter: scan.filterDuplicates ? .on : .off)),
            ]
        }
    }

    var stopScanning: Command {
        switch self {
        case .legacy: .leSetScanEnable(false, filterDuplicates: false)
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
    /// Whether advertising begins or ends with this; nil: it stays as it is.
    var advertises: Bool? {
        switch self {
        case .leSetAdvertisingEnable(let isOn): isOn
        case .leSetExtendedAdvertisingEnable(let enable): enable.isOn
        default: nil
        }
    }

    /// Whether scanning begins or ends with this; nil: it stays as it is.
    var scans: Bool? {
        switch self {
        case .leSetScanEnable(let isOn, _): isOn
        case .leSetExtendedScanEnable(let enable): enable.isOn
        default: nil
        }
    }
}
