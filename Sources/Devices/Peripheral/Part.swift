public import Services

/// A part of a device that a script can name: `strap/heart_rate/contact` is the contact of a service.
public struct Part: Hashable, Sendable {
    /// Which service, counted from 0 in the order of definition.
    public var service: Int
    /// What of it.
    public var quantity: Quantity

    /// A part of a service.
    public init(service: Int, _ quantity: Quantity) { (self.service, self.quantity) = (service, quantity) }

    /// What a service has.
    public typealias Quantity = SensorQuantity
}
