/// An action of a rule, and its target.
package struct Action: Hashable, Sendable {
    package var operation: Operation
    /// The target; nil for an action on everything.
    package var entity: EntityReference?

    package init(_ operation: Operation, of entity: EntityReference? = nil) {
        (self.operation, self.entity) = (operation, entity)
    }

    /// The operation without its arguments.
    package var kind: Kind { operation.kind }

    /// The sorts of request that `att_error` selects by.
    package enum Request: String, CaseIterable, Sendable {
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
    package enum Channel: String, CaseIterable, Sendable {
        /// The Attribute Protocol: CID 0x0004.
        case att
        /// The signaling channel: CID 0x0005.
        case signalling
        /// The Security Manager Protocol: CID 0x0006.
        case smp
    }
}
