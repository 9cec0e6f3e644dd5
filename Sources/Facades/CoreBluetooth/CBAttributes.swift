import ATT
import Bluetooth
public import Foundation
import GATT
import Synchronization

/// A service, a characteristic or a descriptor of a peripheral.
open class CBAttribute: NSObject {
    /// The attribute's type.
    open var uuid: CBUUID { type }
    let type: CBUUID

    init(_ uuid: CBUUID) { type = uuid }
}

/// A service of a peripheral.
open class CBService: CBAttribute {
    private struct State {
        weak var peripheral: CBPeripheral?
        var included: [CBService]?
        var characteristics: [CBCharacteristic]?
    }

    private let state: Mutex<State>
    let range: HandleRange
    /// Whether it is a primary service, not only included by others.
    public let isPrimary: Bool

    /// A service of a remote peripheral; without one, of the process itself, which has no handles yet.
    init(_ uuid: CBUUID, isPrimary: Bool, range: HandleRange = HandleRange(0, 0), of peripheral: CBPeripheral? = nil) {
        (self.range, self.isPrimary) = (range, isPrimary)
        state = Mutex(State(peripheral: peripheral))
        super.init(uuid)
    }

    /// The peripheral that has the service.
    open var peripheral: CBPeripheral? { state.withLock { $0.peripheral } }

    /// The included services that have been discovered; nil before.
    open internal(set) var includedServices: [CBService]? {
        get { state.withLock { $0.included } }
        set { state.withLock { $0.included = newValue } }
    }

    /// The characteristics that have been discovered; nil before.
    open internal(set) var characteristics: [CBCharacteristic]? {
        get { state.withLock { $0.characteristics } }
        set { state.withLock { $0.characteristics = newValue } }
    }

    /// For people.
    open override var description: String { "<CBService: isPrimary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid)>" }
}

/// What a characteristic permits.
public struct CBCharacteristicProperties: OptionSet, Hashable, Sendable {
    /// The bits of the characteristic's declaration; those above bit 7 are Apple's.
    public let rawValue: UInt

    /// The properties with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The value may be broadcast.
    public static let broadcast = CBCharacteristicProperties(rawValue: 0x01)
    /// The value may be read.
    public static let read = CBCharacteristicProperties(rawValue: 0x02)
    /// The value may be written without response.
    public static let writeWithoutResponse = CBCharacteristicProperties(rawValue: 0x04)
    /// The value may be written.
    public static let write = CBCharacteristicProperties(rawValue: 0x08)
    /// The value may be notified.
    public static let notify = CBCharacteristicProperties(rawValue: 0x10)
    /// The value may be indicated.
    public static let indicate = CBCharacteristicProperties(rawValue: 0x20)
    /// The value may be written with a signature.
    public static let authenticatedSignedWrites = CBCharacteristicProperties(rawValue: 0x40)
    /// A descriptor has more properties.
    public static let extendedProperties = CBCharacteristicProperties(rawValue: 0x80)
    /// Only trusted devices can enable notifications; for a peripheral's definition.
    public static let notifyEncryptionRequired = CBCharacteristicProperties(rawValue: 0x100)
    /// Only trusted devices can enable indications; for a peripheral's definition.
    public static let indicateEncryptionRequired = CBCharacteristicProperties(rawValue: 0x200)
}

/// How a characteristic is written.
public enum CBCharacteristicWriteType: Int, Sendable {
    /// The peripheral confirms the write.
    case withResponse = 0
    /// The peripheral does not confirm the write.
    case withoutResponse = 1
}

/// A characteristic of a service.
open class CBCharacteristic: CBAttribute {
    private struct State {
        weak var service: CBService?
        var properties: CBCharacteristicProperties
        var value: Data?
        var descriptors: [CBDescriptor]?
        var isNotifying = false
    }

    private let state: Mutex<State>
    let handle: UInt16
    /// The handles that its descriptors can have; nil if there are none.
    let descriptorRange: HandleRange?
    init(_ characteristic: DiscoveredCharacteristic, of service: CBService) {
        (handle, descriptorRange) = (characteristic.valueHandle, characteristic.descriptorRange)
        let properties = CBCharacteristicProperties(rawValue: UInt(characteristic.properties.rawValue))
        state = Mutex(State(service: service, properties: properties))
        super.init(CBUUID(characteristic.uuid))
    }

    /// A characteristic of the process itself.
    init(_ uuid: CBUUID, _ properties: CBCharacteristicProperties, _ value: Data?) {
        (handle, descriptorRange) = (0, nil)
        state = Mutex(State(properties: properties, value: value))
        super.init(uuid)
    }

    /// The service that has the characteristic.
    open internal(set) var service: CBService? {
        get { state.withLock { $0.service } }
        set { state.withLock { $0.service = newValue } }
    }

    /// What the characteristic permits.
    open internal(set) var properties: CBCharacteristicProperties {
        get { state.withLock { $0.properties } }
        set { state.withLock { $0.properties = newValue } }
    }

    /// The value that was read or notified last; nil before.
    open internal(set) var value: Data? {
        get { state.withLock { $0.value } }
        set { state.withLock { $0.value = newValue } }
    }

    /// The descriptors that have been discovered; nil before.
    open internal(set) var descriptors: [CBDescriptor]? {
        get { state.withLock { $0.descriptors } }
        set { state.withLock { $0.descriptors = newValue } }
    }

    /// Whether notifications or indications are enabled.
    open internal(set) var isNotifying: Bool {
        get { state.withLock { $0.isNotifying } }
        set { state.withLock { $0.isNotifying = newValue } }
    }

    /// For people.
    open override var description: String {
        let octets = value.map { data in data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
        let properties = "0x" + String(properties.rawValue, radix: 16)
        return "<CBCharacteristic: UUID = \(uuid), properties = \(properties), value = \(octets ?? "(null)"), "
            + "notifying = \(isNotifying ? "YES" : "NO")>"
    }
}

/// A descriptor of a characteristic.
open class CBDescriptor: CBAttribute {
    private struct State {
        weak var characteristic: CBCharacteristic?
        var value: Any?
    }

    private let state: Mutex<State>
    let handle: UInt16

    init(_ descriptor: AttributeType, of characteristic: CBCharacteristic) {
        handle = descriptor.handle
        state = Mutex(State(characteristic: characteristic))
        super.init(CBUUID(descriptor.type))
    }

    /// A descriptor of the process itself.
    init(_ uuid: CBUUID, value: Any?) {
        handle = 0
        state = Mutex(State(value: value))
        super.init(uuid)
    }

    /// The characteristic that has the descriptor.
    open internal(set) var characteristic: CBCharacteristic? {
        get { state.withLock { $0.characteristic } }
        set { state.withLock { $0.characteristic = newValue } }
    }

    /// The value that was read last; nil before.  A `String` for a user description; an `NSNumber` for extended properties
    /// and for configurations; else `Data`.
    open internal(set) var value: Any? {
        get { state.withLock { $0.value } }
        set { state.withLock { $0.value = newValue } }
    }

    func setValue(_ octets: [UInt8]) {
        switch uuid.uuidString {
        case CBUUIDCharacteristicUserDescriptionString: value = String(decoding: octets, as: UTF8.self)
        case CBUUIDCharacteristicExtendedPropertiesString, CBUUIDClientCharacteristicConfigurationString,
            CBUUIDServerCharacteristicConfigurationString:
            value = NSNumber(value: octets.prefix(2).reversed().reduce(0 as UInt16) { $0 << 8 | UInt16($1) })
        default: value = Data(octets)
        }
    }
}
