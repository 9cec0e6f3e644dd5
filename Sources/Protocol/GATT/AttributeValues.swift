public import Bluetooth
public import Simulation

/// The owner of the `.dynamic` values of an `AttributeTable`.  It is asked only for handles of such values, and only
/// for what their permissions allow; whatever it throws becomes the Error Response.
///
/// It is to be a value: when one of several prepared writes is refused, what the others have changed is undone by
/// putting back a copy from before.
public protocol AttributeValues {
    /// The value of now, 512 octets at most: what is longer is cut off.
    mutating func read(_ handle: UInt16, at now: Instant) throws(ATTError) -> [UInt8]
    /// Takes a new value, or refuses it.  A Write Command is written the same way, and its refusal is not sent.
    mutating func write(_ value: [UInt8], to handle: UInt16, at now: Instant) throws(ATTError)
}
