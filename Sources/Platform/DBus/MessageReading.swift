import CLubdubDBus

/// A message that libdbus accepts but this module does not.
struct UnreadableMessage: Error, Hashable {
    let reason: String
}

extension Message {
    /// Maximum number of values in a received message; an array of octets counts as one.
    static let maximumValueCount = 1 << 18

    /// The arguments in order.
    func values() throws(UnreadableMessage) -> [Value] {
        var iterator = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_init(raw, &iterator) != 0 else { return [] }
        var reader = MessageReader()
        return try unsafe reader.all(&iterator, depth: 0)
    }
}

/// Reads a message that libdbus has validated.
private struct MessageReader {
    private var count = 0
    private var descriptors = 0

    /// The values up to the end of the container.
    mutating func all(_ iterator: inout DBusMessageIter, depth: Int) throws(UnreadableMessage) -> [Value] {
        var values: [Value] = []
        while unsafe dbus_message_iter_get_arg_type(&iterator) != SHIM_TYPE_INVALID {
            values.append(try unsafe one(&iterator, depth: depth))
            unsafe dbus_message_iter_next(&iterator)
        }
        return values
    }

    private mutating func one(_ iterator: inout DBusMessageIter, depth: Int) throws(UnreadableMessage) -> Value {
        count += 1
        guard count <= Message.maximumValueCount else {
            throw UnreadableMessage(reason: "more than \(Message.maximumValueCount) values")
        }
        guard depth <= Value.maximumDepth else { throw UnreadableMessage(reason: "values are nested too deep") }
        let type = unsafe dbus_message_iter_get_arg_type(&iterator)
        switch type {
        case SHIM_TYPE_ARRAY: return try unsafe array(&iterator, depth: depth)
        case SHIM_TYPE_STRUCT:
            var inner = unsafe recurse(&iterator)
            return .structure(try unsafe all(&inner, depth: depth + 1))
        case SHIM_TYPE_VARIANT:
            var inner = unsafe recurse(&iterator)
            return .variant(try unsafe one(&inner, depth: depth + 1))
        case SHIM_TYPE_UNIX_FD: return .descriptor(try unsafe descriptor(&iterator))
        default:
            guard let value = unsafe basic(&iterator, type) else {
                throw UnreadableMessage(reason: "a value of an unknown type")
            }
            return value
        }
    }

    /// A copy of a file descriptor. A message can refer to one of its descriptors many times.
    private mutating func descriptor(_ iterator: inout DBusMessageIter) throws(UnreadableMessage) -> Descriptor {
        descriptors += 1
        guard descriptors <= BusHandle.maximumDescriptors else {
            throw UnreadableMessage(reason: "more than \(BusHandle.maximumDescriptors) file descriptors")
        }
        var value = unsafe DBusBasicValue()
        unsafe value.fd = -1
        unsafe dbus_message_iter_get_basic(&iterator, &value)
        guard unsafe value.fd >= 0 else {
            throw UnreadableMessage(reason: "a file descriptor that is missing, or one too many for this process")
        }
        return Descriptor(owning: unsafe value.fd)
    }

    private func basic(_ iterator: inout DBusMessageIter, _ type: CInt) -> Value? {
        var value = unsafe DBusBasicValue()
        guard dbus_type_is_basic(type) != 0 else { return nil }
        unsafe dbus_message_iter_get_basic(&iterator, &value)
        switch type {
        case SHIM_TYPE_BYTE: return .byte(unsafe value.byt)
        case SHIM_TYPE_BOOLEAN: return .boolean(unsafe value.bool_val != 0)
        case SHIM_TYPE_INT16: return .int16(unsafe value.i16)
        case SHIM_TYPE_UINT16: return .uint16(unsafe value.u16)
        case SHIM_TYPE_INT32: return .int32(unsafe value.i32)
        case SHIM_TYPE_UINT32: return .uint32(unsafe value.u32)
        case SHIM_TYPE_INT64: return .int64(Int64(unsafe value.i64))
        case SHIM_TYPE_UINT64: return .uint64(UInt64(unsafe value.u64))
        case SHIM_TYPE_DOUBLE: return .double(unsafe value.dbl)
        case SHIM_TYPE_STRING: return .string(unsafe String(cString: value.str))
        case SHIM_TYPE_OBJECT_PATH: return (try? ObjectPath(unsafe String(cString: value.str))).map { .path($0) }
        case SHIM_TYPE_SIGNATURE: return (try? Signature(unsafe String(cString: value.str))).map { .signature($0) }
        default: return nil
        }
    }

    private mutating func array(_ iterator: inout DBusMessageIter, depth: Int) throws(UnreadableMessage) -> Value {
        let element = unsafe dbus_message_iter_get_element_type(&iterator)
        var inner = unsafe recurse(&iterator)
        if element == SHIM_TYPE_BYTE { return unsafe .octets(octets(&inner)) }
        guard let type = unsafe type(of: &iterator) else {
            throw UnreadableMessage(reason: "an array of an unknown type")
        }
        switch type {
        case .dictionary(let key, let value):
            var entries: [Value.Entry] = []
            while unsafe dbus_message_iter_get_arg_type(&inner) != SHIM_TYPE_INVALID {
                var pair = unsafe recurse(&inner)
                let key = try unsafe one(&pair, depth: depth + 2)
                unsafe dbus_message_iter_next(&pair)
                entries.append(Value.Entry(key, try unsafe one(&pair, depth: depth + 2)))
                unsafe dbus_message_iter_next(&inner)
            }
            return .dictionary(key: key, value: value, entries)
        case .array(let element): return .array(of: element, try unsafe all(&inner, depth: depth + 1))
        default: throw UnreadableMessage(reason: "an array of an unknown type")
        }
    }

    private func octets(_ iterator: inout DBusMessageIter) -> [UInt8] {
        var start: UnsafePointer<UInt8>?
        var count: CInt = 0
        unsafe dbus_message_iter_get_fixed_array(&iterator, &start, &count)
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    private func recurse(_ iterator: inout DBusMessageIter) -> DBusMessageIter {
        var inner = unsafe DBusMessageIter()
        unsafe dbus_message_iter_recurse(&iterator, &inner)
        return unsafe inner
    }

    /// The type of an array, which may be empty.
    private func type(of iterator: inout DBusMessageIter) -> ValueType? {
        guard let text = unsafe dbus_message_iter_get_signature(&iterator) else { return nil }
        defer { unsafe dbus_free(text) }
        return (try? Signature(unsafe String(cString: text)))?.types.first
    }
}
