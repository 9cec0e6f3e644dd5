public import Foundation
import Synchronization

/// How the centrals may access a value.
public struct CBAttributePermissions: OptionSet, Hashable, Sendable {
    /// The bits of Apple's framework.
    public let rawValue: UInt

    /// The permissions with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Every central may read it.
    public static let readable = CBAttributePermissions(rawValue: 0x01)
    /// Every central may write it.
    public static let writeable = CBAttributePermissions(rawValue: 0x02)
    /// Centrals may read it over an encrypted link.
    public static let readEncryptionRequired = CBAttributePermissions(rawValue: 0x04)
    /// Centrals may write it over an encrypted link.
    public static let writeEncryptionRequired = CBAttributePermissions(rawValue: 0x08)
}

/// A service that the app publishes with `CBPeripheralManager.add`.  Later changes have no effect.
open class CBMutableService: CBService {
    /// A service without characteristics.
    ///
    /// - Parameters:
    ///   - UUID: Its type.
    ///   - isPrimary: Whether centrals discover it; else it is only included by others.
    public init(type UUID: CBUUID, primary isPrimary: Bool) { super.init(UUID, isPrimary: isPrimary) }

    /// The included services, which must be published before.
    open override var includedServices: [CBService]? {
        get { super.includedServices }
        set { super.includedServices = newValue }
    }

    /// The characteristics.
    open override var characteristics: [CBCharacteristic]? {
        get { super.characteristics }
        set { super.characteristics = newValue }
    }
}

/// A characteristic that the app publishes.
open class CBMutableCharacteristic: CBCharacteristic {
    private struct State {
        var permissions: CBAttributePermissions
        var centrals: [CBCentral] = []
    }

    private let current: Mutex<State>

    /// A characteristic.
    ///
    /// - Parameters:
    ///   - UUID: Its type.
    ///   - properties: What centrals can do with it.
    ///   - value: A constant, which centrals can only read; nil: the app answers each request.
    ///   - permissions: How centrals may access the value.
    public init(
        type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
    ) {
        current = Mutex(State(permissions: permissions))
        super.init(UUID, properties, value)
    }

    /// How centrals may access the value.
    open var permissions: CBAttributePermissions {
        get { current.withLock { $0.permissions } }
        set { current.withLock { $0.permissions = newValue } }
    }

    /// What centrals can do with it.
    open override var properties: CBCharacteristicProperties {
        get { super.properties }
        set { super.properties = newValue }
    }

    /// The constant that centrals read, if the characteristic was published with one.
    open override var value: Data? {
        get { super.value }
        set { super.value = newValue }
    }

    /// The descriptors; the system adds a Client Characteristic Configuration.
    open override var descriptors: [CBDescriptor]? {
        get { super.descriptors }
        set { super.descriptors = newValue }
    }

    /// The centrals that have enabled notifications or indications.
    open var subscribedCentrals: [CBCentral]? { current.withLock { $0.centrals } }

    func subscribe(_ central: CBCentral, _ isOn: Bool) {
        current.withLock { state in
            state.centrals.removeAll { $0 === central }
            if isOn { state.centrals.append(central) }
        }
    }

    func unsubscribeAll() { current.withLock { $0.centrals.removeAll() } }
}

/// A descriptor that the app publishes: a Characteristic User Description, with a `String`, or a Characteristic Presentation
/// Format, with `Data`.
open class CBMutableDescriptor: CBDescriptor {
    /// A descriptor with this value.
    public init(type UUID: CBUUID, value: Any?) { super.init(UUID, value: value) }
}

/// A central that is connected to the app's peripheral.
open class CBCentral: CBPeer {
    private let mtu: Mutex<Int>

    init(identifier: Foundation.UUID, mtu: Int) {
        self.mtu = Mutex(mtu)
        super.init(identifier: identifier)
    }

    /// The maximum number of octets of one notification or indication.
    open var maximumUpdateValueLength: Int { min(512, mtu.withLock { $0 } - 3) }

    func exchanged(mtu: Int) { self.mtu.withLock { $0 = mtu } }
}

/// A central's request to read or write a value.
open class CBATTRequest: NSObject {
    /// The central.
    public let central: CBCentral
    /// The characteristic that it accesses.
    public let characteristic: CBCharacteristic
    /// The first octet that it reads or writes.
    public let offset: Int
    /// The number by which the service knows it; nil: it needs no answer.
    let number: UInt32?
    private let octets: Mutex<Data?>

    init(_ central: CBCentral, _ characteristic: CBCharacteristic, offset: Int, value: Data?, number: UInt32?) {
        (self.central, self.characteristic, self.offset, self.number) = (central, characteristic, offset, number)
        octets = Mutex(value)
    }

    /// What the central writes; or what it reads, from the offset on, which the app sets.
    open var value: Data? {
        get { octets.withLock { $0 } }
        set { octets.withLock { $0 = newValue } }
    }
}
