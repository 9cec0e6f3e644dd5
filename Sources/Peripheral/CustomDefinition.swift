public import Bluetooth
public import GATT
import Octets

extension PeripheralDefinition {
    /// A service that is whatever its author says.
    public struct Custom: Sendable {
        /// Its UUID.
        public var uuid: UUID
        /// In the order of their handles.
        public var characteristics: [Characteristic]

        /// A service with these characteristics.
        public init(uuid: UUID, characteristics: [Characteristic]) {
            (self.uuid, self.characteristics) = (uuid, characteristics)
        }

        /// How a value is encoded; numbers have the lowest octet first.
        public enum Format: String, CaseIterable, Sendable {
            /// One octet.
            case uint8
            /// Two octets.
            case uint16
            /// Four octets.
            case uint32
            /// Two octets, negative ones as two's complement.
            case sint16
            /// Text.
            case utf8
            /// As they are.
            case octets

            /// The whole number below; the nearest that can be said for what cannot.  Nil for what is no number.
            public func octets(of number: Double) -> [UInt8]? {
                var octets: [UInt8] = []
                switch self {
                case .uint8: octets.append(UInt8(saturating: number))
                case .uint16: octets.append(UInt16(saturating: number))
                case .uint32: octets.append(UInt32(saturating: number))
                case .sint16: octets.append(UInt16(bitPattern: Int16(saturating: number.rounded(.down))))
                case .utf8, .octets: return nil
                }
                return octets
            }

            /// The numbers that it can say; nil when it says no numbers.
            public var range: ClosedRange<Double>? {
                switch self {
                case .uint8: 0...255
                case .uint16: 0...65535
                case .uint32: 0...4_294_967_295
                case .sint16: -32768...32767
                case .utf8, .octets: nil
                }
            }

            /// So many octets, always; nil for those of any length.
            public var count: Int? {
                switch self {
                case .uint8: 1
                case .uint16, .sint16: 2
                case .uint32: 4
                case .utf8, .octets: nil
                }
            }
        }

        /// A characteristic of a custom service.
        public struct Characteristic: Sendable {
            /// Its UUID.
            public var uuid: UUID
            /// How its value is encoded.
            public var format: Format
            /// What a client may do.
            public var properties: CharacteristicProperties
            /// What the link needs before a client may.
            public var security: LinkSecurity
            /// What it says until it is written or set.
            public var value: PartValue
            /// From one notification or indication to the next.
            public var period: Duration
            /// Where its value stands; nil: the next free one.
            public var handle: UInt16?
            /// Besides those that its properties need.
            public var descriptors: [DescriptorDefinition]

            /// One that is told once a second, at the next free handle, without more descriptors.
            public init(uuid: UUID, format: Format, properties: CharacteristicProperties, value: PartValue) {
                (self.uuid, self.format, self.properties, self.value) = (uuid, format, properties, value)
                (security, period, handle, descriptors) = ([], .seconds(1), nil, [])
            }
        }
    }
}
