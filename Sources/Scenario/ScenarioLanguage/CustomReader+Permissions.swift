import Documents
import GATT

// Permissions.  Core 6.0, Vol 3, Part F, section 3.2.5.
extension CustomReader {
    /// The access that a device grants: a list has the security that the declared access needs, an object the access of
    /// each direction, declared or not.
    ///
    /// `declared` returns the declared access over a link with a security.
    func permissions(_ cursor: Cursor?, declared: (LinkSecurity) -> AttributePermissions) -> AttributePermissions {
        guard let cursor else { return declared([]) }
        guard !cursor.members.isEmpty else { return declared(security(cursor)) }
        var permissions = declared([])
        for (key, access) in [
            ("read", AttributePermissions.readable(needing:)), ("write", AttributePermissions.writeable(needing:)),
        ] {
            guard let direction = cursor[key] else { continue }
            permissions.subtract(access(.full))
            if direction.bool != false { permissions.formUnion(access(security(direction))) }
        }
        return permissions
    }

    /// The security in a list.
    func security(_ cursor: Cursor) -> LinkSecurity {
        noteRepeated(cursor.items)
        return LinkSecurity(cursor.items.compactMap { Optional($0).choice() as PermissionWord? }.map(\.security))
    }
}
