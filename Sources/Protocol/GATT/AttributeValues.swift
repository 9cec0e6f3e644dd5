import ATT
public import Basics
public import Bluetooth

/// Supplies the `.dynamic` values of an `AttributeTable`.  A `Server` calls it only with handles of such values, and
/// only for access that their permissions allow; a thrown error becomes the Error Response.
///
/// Implement it as a value type: when one of several prepared writes fails, the server restores a copy that it made
/// before the first.
public protocol AttributeValues {
    /// The current value; the server truncates it to 512 octets.
    mutating func read(_ handle: UInt16, at now: Instant) throws(ATTError) -> [UInt8]
    /// Stores a value, or throws the error to send; the error of a Write Command is not sent.
    mutating func write(_ value: [UInt8], to handle: UInt16, at now: Instant) throws(ATTError)
}

/// The values of a table without dynamic values.
public struct NoAttributeValues: AttributeValues {
    /// No values.
    public init() {}

    /// Not called by a `Server`; throws Invalid Handle.
    public mutating func read(_ handle: UInt16, at now: Instant) throws(ATTError) -> [UInt8] { throw .invalidHandle }

    /// Not called by a `Server`; throws Invalid Handle.
    public mutating func write(_ value: [UInt8], to handle: UInt16, at now: Instant) throws(ATTError) {
        throw .invalidHandle
    }
}

/// A client's request for the value of an attribute.
public enum ValueRequest: Hashable, Sendable {
    /// Read the value from an octet on.
    case read(offset: Int)
    /// Write the value; a command gets no response.
    case write([UInt8], isCommand: Bool)

    fileprivate var opcode: Opcode {
        switch self {
        case .read(offset: 0): .readRequest
        case .read: .readBlobRequest
        case .write(_, isCommand: true): .writeCommand
        case .write(_, isCommand: false): .writeRequest
        }
    }
}

extension Server {
    /// Answers a request that another stack has received, whatever the client and its connection: with the octets of a read,
    /// none for a write, or the error.  All rules of the server apply, and `outbox` receives the events.
    ///
    /// Nobody can be asked: a value of `AttributeValue.requested` has an Unlikely Error.
    public mutating func answer(
        _ request: ValueRequest, of handle: UInt16, table: AttributeTable, values: inout some AttributeValues,
        at now: Instant, into outbox: inout [Output]
    ) -> Result<[UInt8], ATTError> {
        do throws(ErrorResponse) {
            let octets = try Access(table, at: now).perform(request, of: handle, &self, &values)
            flushEvents(into: &outbox)
            return .success(octets)
        } catch {
            events.clear()
            outbox.append(.refused(opcode: request.opcode.rawValue, handle: handle, error.reason))
            return .failure(error.reason)
        }
    }
}
