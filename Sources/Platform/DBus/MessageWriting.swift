import CLubdubDBus

extension Message {
    /// Appends arguments, which must have been checked: libdbus ends the process for some invalid ones.
    func append(_ values: [Value]) {
        var iterator = unsafe DBusMessageIter()
        unsafe dbus_message_iter_init_append(raw, &iterator)
        for value in values { unsafe Self.append(value, to: &iterator) }
    }

    private static func append(_ value: Value, to iterator: inout DBusMessageIter) {
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
        case .descriptor: preconditionFailure("descriptors cannot be sent")
        case .octets(let octets):
            unsafe contain(SHIM_TYPE_ARRAY, of: "y", in: &iterator) { array in
                unsafe octets.withUnsafeBufferPointer { octets in
                    var start = octets.baseAddress
                    unsafe dbus_message_iter_append_fixed_array(&array, SHIM_TYPE_BYTE, &start, CInt(octets.count))
                }
            }
        case .array(let element, let values):
            unsafe contain(SHIM_TYPE_ARRAY, of: element.description, in: &iterator) { array in
                for value in values { unsafe append(value, to: &array) }
            }
        case .dictionary(let key, let value, let entries):
            unsafe contain(SHIM_TYPE_ARRAY, of: "{\(key)\(value)}", in: &iterator) { array in
                for entry in entries {
                    unsafe contain(SHIM_TYPE_DICT_ENTRY, of: nil, in: &array) { pair in
                        unsafe append(entry.key, to: &pair)
                        unsafe append(entry.value, to: &pair)
                    }
                }
            }
        case .structure(let members):
            unsafe contain(SHIM_TYPE_STRUCT, of: nil, in: &iterator) { structure in
                for member in members { unsafe append(member, to: &structure) }
            }
        case .variant(let value):
            unsafe contain(SHIM_TYPE_VARIANT, of: value.type.description, in: &iterator) { variant in
                unsafe append(value, to: &variant)
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
        _ type: CInt, of content: String?, in iterator: inout DBusMessageIter, fill: (inout DBusMessageIter) -> Void
    ) {
        var inner = unsafe DBusMessageIter()
        let isOpen =
            if let content {
                unsafe dbus_message_iter_open_container(&iterator, type, content, &inner)
            } else {
                unsafe dbus_message_iter_open_container(&iterator, type, nil, &inner)
            }
        precondition(isOpen != 0, "out of memory for a message")
        unsafe fill(&inner)
        unsafe dbus_message_iter_close_container(&iterator, &inner)
    }
}
