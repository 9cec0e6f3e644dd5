import CLubdubDBus

extension Message {
    /// This process has too many open files for a copy of a descriptor.
    private struct NoCopy: Error {}

    /// Appends arguments, which must have been checked: libdbus ends the process for some invalid ones.
    ///
    /// - Parameter values: The arguments.
    /// - Returns: Whether all of them are in the message; else a descriptor could not be copied, and it must not be sent.
    @discardableResult
    func append(_ values: [Value]) -> Bool {
        var iterator = unsafe DBusMessageIter()
        unsafe dbus_message_iter_init_append(raw, &iterator)
        do throws(NoCopy) {
            for value in values { try unsafe Self.append(value, to: &iterator) }
            return true
        } catch { return false }
    }

    private static func append(_ value: Value, to iterator: inout DBusMessageIter) throws(NoCopy) {
        switch value {
        case .byte(let value): unsafe append(DBusBasicValue(byt: value), SHIM_TYPE_BYTE, to: &iterator)
        case .boolean(let value):
            unsafe append(DBusBasicValue(bool_val: value ? 1 : 0), SHIM_TYPE_BOOLEAN, to: &iterator)
        case .int16(let value): unsafe append(DBusBasicValue(i16: value), SHIM_TYPE_INT16, to: &iterator)
        case .uint16(let value): unsafe append(DBusBasicValue(u16: value), SHIM_TYPE_UINT16, to: &iterator)
        case .int32(let value): unsafe append(DBusBasicValue(i32: value), SHIM_TYPE_INT32, to: &iterator)
        case .uint32(let value): unsafe append(DBusBasicValue(u32: value), SHIM_TYPE_UINT32, to: &iterator)
        case .int64(let value): unsafe append(DBusBasicValue(i64: Int(value)), SHIM_TYPE_INT64, to: &iterator)
        case .uint64(let value): unsafe append(DBusBasicValue(u64: UInt(value)), SHIM_TYPE_UINT64, to: &iterator)
        case .double(let value): unsafe append(DBusBasicValue(dbl: value), SHIM_TYPE_DOUBLE, to: &iterator)
        case .string(let value): unsafe append(value, SHIM_TYPE_STRING, to: &iterator)
        case .path(let value): unsafe append(value.text, SHIM_TYPE_OBJECT_PATH, to: &iterator)
        case .signature(let value): unsafe append(value.description, SHIM_TYPE_SIGNATURE, to: &iterator)
        case .descriptor(let descriptor):
            var number = descriptor.number ?? -1
            guard unsafe dbus_message_iter_append_basic(&iterator, SHIM_TYPE_UNIX_FD, &number) != 0 else {
                throw NoCopy()
            }
        case .octets(let octets):
            try unsafe contain(SHIM_TYPE_ARRAY, of: "y", in: &iterator) { array throws(NoCopy) in
                unsafe octets.withUnsafeBufferPointer { octets in
                    var start = octets.baseAddress
                    unsafe dbus_message_iter_append_fixed_array(&array, SHIM_TYPE_BYTE, &start, CInt(octets.count))
                }
            }
        case .array(let element, let values):
            try unsafe contain(SHIM_TYPE_ARRAY, of: element.description, in: &iterator) { array throws(NoCopy) in
                for value in values { try unsafe append(value, to: &array) }
            }
        case .dictionary(let key, let value, let entries):
            try unsafe contain(SHIM_TYPE_ARRAY, of: "{\(key)\(value)}", in: &iterator) { array throws(NoCopy) in
                for entry in entries {
                    try unsafe contain(SHIM_TYPE_DICT_ENTRY, of: nil, in: &array) { pair throws(NoCopy) in
                        try unsafe append(entry.key, to: &pair)
                        try unsafe append(entry.value, to: &pair)
                    }
                }
            }
        case .structure(let members):
            try unsafe contain(SHIM_TYPE_STRUCT, of: nil, in: &iterator) { structure throws(NoCopy) in
                for member in members { try unsafe append(member, to: &structure) }
            }
        case .variant(let value):
            try unsafe contain(SHIM_TYPE_VARIANT, of: value.type.description, in: &iterator) { variant throws(NoCopy) in
                try unsafe append(value, to: &variant)
            }
        }
    }

    private static func append(_ value: DBusBasicValue, _ type: CInt, to iterator: inout DBusMessageIter) {
        var value = unsafe value
        unsafe dbus_message_iter_append_basic(&iterator, type, &value)
    }

    private static func append(_ text: String, _ type: CInt, to iterator: inout DBusMessageIter) {
        unsafe text.withCString { characters in
            var characters = unsafe characters
            unsafe dbus_message_iter_append_basic(&iterator, type, &characters)
        }
    }

    /// Appends a container with the contents that `fill` appends.
    private static func contain(
        _ type: CInt, of content: String?, in iterator: inout DBusMessageIter,
        fill: (inout DBusMessageIter) throws(NoCopy) -> Void
    ) throws(NoCopy) {
        var inner = unsafe DBusMessageIter()
        let isOpen =
            if let content {
                unsafe dbus_message_iter_open_container(&iterator, type, content, &inner)
            } else {
                unsafe dbus_message_iter_open_container(&iterator, type, nil, &inner)
            }
        precondition(isOpen != 0, "out of memory for a message")
        do throws(NoCopy) { try unsafe fill(&inner) } catch {
            unsafe dbus_message_iter_abandon_container(&iterator, &inner)
            throw error
        }
        unsafe dbus_message_iter_close_container(&iterator, &inner)
    }
}
