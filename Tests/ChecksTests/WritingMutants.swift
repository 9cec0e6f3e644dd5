import VirtualWorld

// Servers with one fault in writing.
extension Peripheral {
    static let writingMutants = [
        book.but(
            "deaf_to_commands", "ignores Write Commands", "GATT/SR/GAW/BV-01-C",
            by: [.init(.received(0x52), at: 0, "52", becomes: "7F")]),
        book.but(
            "executes_writes", "answers Write Requests with Execute Write Responses", "GATT/SR/GAW/BV-03-C",
            by: [.init(.att(0x13), at: 0, "13", becomes: "19")]),
        book.but(
            "cuts_commands", "takes the beginning of a Write Command that is too long", "GATT/SR/GAW/BI-39-C",
            by: [.init(.received(0x52), at: 0, "52 40 00 .. .. ..", becomes: "52 40 00 .. ..")]),
        book.but(
            "writes_one_before", "treats an offset of 54 as 53", "GATT/SR/GAW/BV-05-C",
            by: [.init(.received(0x16), at: 3, "36 00", becomes: "35 00")]),
        book.but(
            "repeats_another_offset", "repeats a prepared write with another offset", "GATT/SR/GAW/BV-06-C",
            by: [.init(.att(0x17), at: 3, "00 00", becomes: "01 00")]),
        book.but(
            "writes_the_cancelled", "executes cancelled writes", "GATT/SR/GAW/BV-07-C",
            by: [.init(.received(0x18), at: 0, "18 00", becomes: "18 01")]),
        full.but(
            "deaf_to_subscriptions", "treats a configuration of 2 as 0", "GATT/SR/GAW/BV-08-C",
            by: [takes("00 00", for: "02 00")]),
        full.but(
            "repeats_another_value", "repeats a prepared configuration of 2 as 0", "GATT/SR/GAW/BV-09-C",
            by: [.init(.att(0x17), at: 3, "00 00 02", becomes: "00 00 00")]),
        book.but(
            "never_executes", "discards prepared writes instead of executing them", "GATT/SR/GAW/BV-10-C",
            by: [.init(.received(0x18), at: 0, "18 01", becomes: "18 00")]),
        full.but(
            "unlikely_execution", "answers Execute Write with 0x0E", "GATT/SR/GAW/BV-11-C",
            by: [.init(.att(0x19), at: 0, "19", becomes: "01 18 00 00 0E")]),
    ]

    static let writeErrorMutants: [Peripheral] =
        [("11", "08"), ("12", "05")].map { number, error in
            book.but(
                "handle_0_16_\(error)", "rejects Prepare Write with 0x\(error) for handle 0",
                "GATT/SR/GAW/BI-\(number)-C",
                by: [.init(.att(0x01), at: 1, "16 .. .. \(error)", becomes: ".. 00 00 ..")])
        }
        + [
            (book, "GATT/SR/GAW/BI-04-C", "12", "08"), (book, "GATT/SR/GAW/BI-05-C", "12", "05"),
            (full, "GATT/SR/GAW/BI-07-C", "16", "01"), (full, "GATT/SR/GAW/BI-08-C", "16", "03"),
            (book, "GATT/SR/GAW/BI-09-C", "18", "07"), (book, "GATT/SR/GAW/BI-33-C", "18", "0D"),
            (book, "GATT/SR/GAW/BI-32-C", "12", "0D"), (full, "gatt/configuration_length", "12", "0D"),
        ].map { base, id, request, error in
            base.but(
                "unlikely_\(base.name)_\(request)_\(error)",
                "rejects request 0x\(request) with 0x0E instead of 0x\(error)", id,
                by: [answers("0E", to: request, instead: error)])
        }
}
