import Documents
import GATT

// Permissions.  Core 6.0, Vol 3, Part F, section 3.2.5.
extension CustomReader {
    /// The security that an access needs.
    enum Permission: String, CaseIterable {
        case encrypted
        case authenticated
        case authorized

        /// The security of the link; a key with an operator's confirmation also encrypts it.
        fileprivate var security: LinkSecurity {
            switch self {
            case .encrypted: .encrypted
            case .authenticated: [.encrypted, .authenticated]
            case .authorized: .authorized
            }
        }
    }

    /// The access that a device grants: a list has the security that the declared access needs, an object the access of
    /// each direction, declared or not.
    func permissions(_ cursor: Cursor?, declared: AttributePermissions) -> AttributePermissions {
        guard let cursor else { return declared }
        let read, write: LinkSecurity?
        if cursor.members.isEmpty {
            let security = security(cursor)
            read = declared.contains(.readable) ? security : nil
            write = declared.contains(.writeable) ? security : nil
        } else {
            read = security(cursor["read"], isDeclared: declared.contains(.readable))
            write = security(cursor["write"], isDeclared: declared.contains(.writeable))
        }
        var permissions: AttributePermissions = []
        if let read { permissions.insert(.readable(needing: read)) }
        if let write { permissions.insert(.writeable(needing: write)) }
        return permissions
    }

    /// The security that a direction needs; nil if it is not permitted.
    private func security(_ cursor: Cursor?, isDeclared: Bool) -> LinkSecurity? {
        guard let cursor else { return isDeclared ? [] : nil }
        return cursor.bool == false ? nil : security(cursor)
    }

    private func security(_ cursor: Cursor) -> LinkSecurity {
        noteRepeated(cursor.items)
        return LinkSecurity(cursor.items.compactMap { Optional($0).choice() as Permission? }.map(\.security))
    }
}
