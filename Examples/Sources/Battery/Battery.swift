import ATT
import Basics
import Bluetooth
import GATT

/// A Battery Service, with a level that clients can read and subscribe to.
public struct Battery: AttributeValues {
    /// In percent.
    public var level: UInt8

    public init(level: UInt8) { self.level = level }

    /// The attributes of the service, with their handles.
    public static func table() throws -> AttributeTable {
        let level = CharacteristicDefinition(uuid: .batteryLevel, properties: [.read, .notify])
        return try AttributeTable([ServiceDefinition(uuid: .battery, characteristics: [level])])
    }

    public mutating func read(_ handle: UInt16, at now: Instant) throws(ATTError) -> [UInt8] { [level] }

    public mutating func write(_ value: [UInt8], to handle: UInt16, at now: Instant) throws(ATTError) {
        throw .writeNotPermitted
    }
}
