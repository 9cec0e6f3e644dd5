public import Bluetooth
public import Characteristics
public import GATT
public import Services

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

        /// A characteristic of a custom service.
        public struct Characteristic: Sendable {
            /// Its UUID.
            public var uuid: UUID
            /// How its value is encoded.
            public var format: ValueFormat
            /// What a client may do.
            public var properties: CharacteristicProperties
            /// What the link needs before a client may.
            public var security: LinkSecurity
            /// What it says until it is written or set.
            public var value: SensorInput
            /// From one notification or indication to the next.
            public var period: Duration
            /// Where its value stands; nil: the next free one.
            public var handle: UInt16?
            /// Besides those that its properties need.
            public var descriptors: [DescriptorDefinition]

            /// One that is told once a second, at the next free handle, without more descriptors.
            public init(uuid: UUID, format: ValueFormat, properties: CharacteristicProperties, value: SensorInput) {
                (self.uuid, self.format, self.properties, self.value) = (uuid, format, properties, value)
                (security, period, handle, descriptors) = ([], .seconds(1), nil, [])
            }
        }
    }
}
