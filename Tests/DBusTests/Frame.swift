import Basics

/// A message, octet by octet: D-Bus Specification, "Message Format".
struct Frame {
    var kind: UInt8
    var flags: UInt8 = 0
    var serial: UInt32 = 7
    var fields: [(code: UInt8, type: String, value: [UInt8])] = []
    var signature = ""
    var body: [UInt8] = []

    static func text(_ text: String) -> [UInt8] {
        var octets: [UInt8] = []
        octets.append(UInt32(text.utf8.count))
        return octets + Array(text.utf8) + [0]
    }

    static func number(_ number: UInt32) -> [UInt8] {
        var octets: [UInt8] = []
        octets.append(number)
        return octets
    }

    static func call(_ path: String, _ interface: String?, _ member: String, to name: String) -> Frame {
        var frame = Frame(kind: 1)
        frame.fields = [(1, "o", text(path)), (3, "s", text(member)), (6, "s", text(name))]
        if let interface { frame.fields.append((2, "s", text(interface))) }
        return frame
    }

    static func signal(
        _ path: String, _ interface: String, _ member: String, to name: String?, from sender: String? = nil,
        text: String
    ) -> Frame {
        var frame = Frame(kind: 4, signature: "s", body: Self.text(text))
        frame.fields = [(1, "o", Self.text(path)), (2, "s", Self.text(interface)), (3, "s", Self.text(member))]
        if let name { frame.fields.append((6, "s", Self.text(name))) }
        if let sender { frame.fields.append((7, "s", Self.text(sender))) }
        return frame
    }

    static func answer(to serial: UInt32, text: String) -> Frame {
        var frame = Frame(kind: 2, signature: "s", body: Self.text(text))
        frame.fields = [(5, "u", number(serial)), (7, "s", Self.text("org.freedesktop.DBus"))]
        return frame
    }

    var octets: [UInt8] {
        var all: [UInt8] = [UInt8(ascii: "l"), kind, flags, 1]
        all.append(UInt32(body.count))
        all.append(serial)
        let fields =
            signature.isEmpty
            ? fields : fields + [(8, "g", [UInt8(signature.utf8.count)] + Array(signature.utf8) + [0])]
        var header: [UInt8] = []
        for field in fields {
            header.pad(to: 8)
            header += [field.code, UInt8(field.type.utf8.count)] + Array(field.type.utf8) + [0]
            if field.type != "g" { header.pad(to: 4) }
            header += field.value
        }
        all.append(UInt32(header.count))
        all += header
        all.pad(to: 8)
        return all + body
    }
}

extension [UInt8] {
    mutating func pad(to boundary: Int) {
        while count % boundary != 0 { append(UInt8(0)) }
    }
}
