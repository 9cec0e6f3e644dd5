/// An action of a rule, and its target.
public struct Action: Hashable, Sendable {
    /// The action with its arguments.
    public var operation: Operation
    /// The target; nil for an action on everything.
    public var entity: EntityReference?

    /// An operation on a target.
    public init(_ operation: Operation, of entity: EntityReference? = nil) {
        (self.operation, self.entity) = (operation, entity)
    }

    /// The operation without its arguments.
    public var kind: Kind { operation.kind }

    /// The sorts of request that `att_error` selects by.
    public enum Request: String, CaseIterable, Sendable {
        /// Reads of values and descriptors, in whole or in part.
        case read
        /// Writes of values, in whole or in part.
        case write
        /// Writes of a Client Characteristic Configuration.
        case subscribe
        /// Discovery of services, characteristics and descriptors.
        case discover
    }

    /// A fixed channel of L2CAP.  Core 6.0, Vol 3, Part A, section 2.1.
    public enum Channel: String, CaseIterable, Sendable {
        /// The Attribute Protocol: CID 0x0004.
        case att
        /// The signaling channel: CID 0x0005.
        case signalling
        /// The Security Manager Protocol: CID 0x0006.
        case smp
    }
}
