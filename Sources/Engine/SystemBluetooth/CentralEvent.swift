package import ATT
import Basics
package import Bluetooth
package import GATT
package import SecurityManager

/// What the central role of the Bluetooth service reports to a program.
package enum CentralEvent: Equatable, Sendable {
    /// The state of the radio has changed; a new program receives the present one.
    case state(RadioState)
    indirect case discovered(DeviceAddress, Advertisement, rssi: Int8)
    /// An advertisement has a pattern of the program's monitor; `discovered` precedes it.
    case monitored(id: UInt32, DeviceAddress, rssi: Int8)
    case connected(DeviceAddress, mtu: Int)
    case failedToConnect(DeviceAddress, CentralFailure)
    /// The connection ends soon, because a program has cancelled it.
    case disconnecting(DeviceAddress)
    /// The connection has ended; without a failure, because the program has cancelled it.
    case disconnected(DeviceAddress, CentralFailure?, isReconnecting: Bool)
    /// A peripheral that the program watches is connected to the machine, or not any more.
    case connection(DeviceAddress, isConnected: Bool)
    /// The peripheral's GAP Device Name differs from the known name.
    case renamed(DeviceAddress, String)
    case exchangedMTU(DeviceAddress, Int)
    indirect case finished(id: UInt32, DeviceAddress, Result<CentralOutcome, CentralFailure>)
    /// A value that the program has subscribed to was notified or indicated.
    case value(DeviceAddress, handle: UInt16, [UInt8])
    /// The peripheral's attributes in this range have changed.
    case servicesChanged(DeviceAddress, HandleRange)
    /// The system has discovered these services, with all that they contain.
    indirect case found(DeviceAddress, [DiscoveredService])
    /// These services are not there, or not known, any more.
    indirect case lost(DeviceAddress, [DiscoveredService])
    /// The system has discovered all that the connected peripheral has.
    case resolved(DeviceAddress)
    /// A value that the system has read or subscribed to by itself.
    case ownValue(DeviceAddress, UUID, [UInt8])
    /// `CentralRequest.pair` has ended.
    case paired(DeviceAddress, PairingFailure?)
    /// The system and the peripheral have a bond, which has revealed this identity address; nil: they have none any more.
    case bonded(DeviceAddress, identity: DeviceAddress?)
    /// The system does not know the peripheral any more.
    case forgotten(DeviceAddress)
    /// Something begins or ends that happens to the system.
    case trouble(SystemTrouble, isOn: Bool)
}

/// Whether the radio can be used.
package enum RadioState: Sendable {
    /// The radio has not started.
    case unknown
    /// There is no usable radio.
    case unsupported
    /// The radio has been switched off.
    case off
    case on
}

/// The result of an operation that succeeded.
package enum CentralOutcome: Equatable, Sendable {
    case procedure(Procedure.Outcome)
    /// Of an operation that needs no packet.
    case none
    /// Notifications or indications are enabled, or disabled.
    case notifying(Bool)
    /// The strength of the peripheral's signal, in dBm; 127: unknown.
    case signalStrength(Int8)
}

/// Why an operation failed, or a connection ended.
package enum CentralFailure: Error, Equatable, Sendable {
    /// The peripheral sent this Error Response.
    case refused(ATTError)
    /// The supervision timeout, or a request without response.
    case timedOut
    /// The peripheral ended the connection.
    case disconnectedByPeripheral
    /// The connection could not be made, or was lost for another reason.
    case connectionFailed
    /// The peripheral has lost the keys of the bond.
    case bondLost
    /// A program has cancelled it.
    case cancelled
    /// The system ended the connection as soon as it was made.
    case aborted
    /// The same is being done already.
    case inProgress
    /// The peripheral is not connected.
    case notConnected
    /// The program has not subscribed.
    case notSubscribed
    /// The operation cannot be performed; in particular, the peripheral's answer is malformed.
    case unknown
}

/// Why a pairing that a program has requested failed.
package enum PairingFailure: Error, Equatable, Sendable {
    /// There is no connection.
    case notConnected
    /// The connection ended.
    case disconnected
    /// There is a bond.
    case alreadyPaired
    case inProgress
    /// A program has cancelled it.
    case cancelled
    /// There is none to cancel.
    case none
    case failed(Pairing.Failure)

    /// Whether the request did not begin or end a pairing.
    var hasNoEffect: Bool {
        switch self {
        case .alreadyPaired, .inProgress, .none: true
        case .notConnected, .disconnected, .cancelled, .failed: false
        }
    }
}

/// What a peripheral advertises, with its scan response.
package struct Advertisement: Equatable, Sendable {
    package var name: String?
    package var services: [UUID] = []
    package var solicited: [UUID] = []
    package var serviceData: [ServiceData] = []
    /// The company identifier, the least significant octet first, and its data.
    package var manufacturerData: [UInt8]?
    package var txPower: Int8?
    package var isConnectable = false
    package var flags: AdvertisingFlags?
    package var appearance: Appearance?

    /// Whether it can be discovered: in the limited or the general discoverable mode.
    var isDiscoverable: Bool {
        flags.map { !$0.isDisjoint(with: [.limitedDiscoverable, .generalDiscoverable]) } ?? false
    }

    /// The data of one service.
    package struct ServiceData: Equatable, Sendable {
        package let service: UUID
        package let octets: [UInt8]

        package init(service: UUID, octets: [UInt8]) { (self.service, self.octets) = (service, octets) }
    }

    init(isConnectable: Bool) { self.isConnectable = isConnectable }

    /// Adds the fields of advertising or scan response data that are not known yet; malformed data has none.
    mutating func add(_ octets: [UInt8]) {
        guard let data = try? AdvertisingData(octets: octets, limit: .extended) else { return }
        flags = flags ?? data.flags
        appearance = appearance ?? data.appearance
        name = name ?? data.localName
        services += data.services.filter { !services.contains($0) }
        for structure in data.structures {
            let size: Int? = structure.type == ADType(0x14) ? 2 : structure.type == ADType(0x15) ? 16 : nil
            guard let size else { continue }
            for start in stride(from: 0, through: structure.data.count - size, by: size) {
                if let uuid = UUID(octets: Array(structure.data[start..<start + size])) { solicited.append(uuid) }
            }
        }
        serviceData += data.allServiceData.map { ServiceData(service: $0.service, octets: $0.data) }
        manufacturerData = manufacturerData ?? data.data(.manufacturerSpecificData)
        txPower = txPower ?? data.txPowerLevel
    }
}
