import ATT
import Bluetooth
import GATT
import Octets

// What a server does about what it does not know.  Core 6.0, Vol 3, Part F, section 3.3.
extension Check {
    private static let named = Claim.characteristic(.deviceName, of: .genericAccess)

    static let unknown = [
        Check(
            "GATT/SR/UNS/BI-01-C", "a request that nobody knows: \(ATTError.requestNotSupported)",
            "Core 6.0, Vol 3, Part F, section 3.3", if: named
        ) { peripheral throws(CheckExit) in
            try peripheral.readName("before")
            try peripheral.expectUnknown([0x3F, 0x01, 0x02])
            try peripheral.readName("after")
        },
        Check(
            "GATT/SR/UNS/BI-02-C", "a command that nobody knows is not answered",
            "Core 6.0, Vol 3, Part F, section 3.3", if: named
        ) { peripheral throws(CheckExit) in
            try peripheral.readName("before")
            try peripheral.expectSilence(after: [0x7F, 0x01, 0x02], "a command that nobody knows")
            try peripheral.readName("after")
        },
    ]

    /// What a peripheral is not asked, and why.
    static let unaskedOfServers =
        [
            ("GAC/BI-01-C", "an exchange of MTUs on an enhanced bearer is refused", .enhanced),
            ("GAC/BI-02-C", "an exchange of MTUs over BR/EDR is refused", .classic),
            ("GAC/BI-03-C", "an exchange of MTUs over BR/EDR is refused", .classic),
            ("GAD/BV-07-C", "services have SDP records", .classic),
            ("GAD/BV-08-C", "services have SDP records", .classic),
            ("GAI/BV-02-C", "a bonded client that comes back is sent indications", .pairing),
            ("GAN/BV-02-C", "several values are notified at once", .multiple),
            ("GAN/BV-03-C", "a bonded client that comes back is sent notifications", .pairing),
            ("GAR/BI-34-C", "a value for the other transport is not read", .dualMode),
            ("GAR/BI-35-C", "a value for the other transport is not read", .dualMode),
            ("GAR/BI-45-C", "a value is not read", .variant),
            ("GAR/BV-11-C", "several values are read at once on an enhanced bearer", .enhanced),
            ("GAR/BV-12-C", "several values are read at once on an enhanced bearer", .enhanced),
            ("GAS/BV-04-C", "what a bonded client supports is kept", .pairing),
            ("GAS/BV-08-C", "several values are read at once", .variant),
            ("GAW/BV-12-C", "a queue of prepared writes has one bearer", .enhanced),
            ("GAW/BV-13-C", "a queue of prepared writes has one bearer", .enhanced),
            ("GAW/BV-14-C", "a queue of prepared writes has one bearer", .enhanced),
            ("GAW/BI-39-C", "an octet more than a value has room for", .variant),
        ].map { unasked($0, $1, $2) }
        + ["GAR/BI-05-C", "GAR/BI-11-C", "GAR/BI-17-C", "GAR/BI-22-C", "GAR/BI-44-C"].map {
            unasked($0, "a value is not read with a key that is too short", .pairing)
        }
        + ["GAW/BI-06-C", "GAW/BI-13-C"].map {
            unasked($0, "a value is not written with a key that is too short", .pairing)
        }
        + ["GAW/BI-01-C", "GAW/BI-36-C", "GAW/BI-37-C", "GAW/BI-38-C", "GAW/BI-40-C", "GAW/BV-02-C"].map {
            unasked($0, "a value is written with a signature, or not", .signature)
        }
        + ["01", "02", "03", "04", "05", "06", "13"].map {
            unasked("GPM/BV-\($0)-C", "each client has a configuration of its own", .variant)
        }

    private static func unasked(_ id: String, _ title: String, _ reason: Claim.Obstacle) -> Check {
        Check("GATT/SR/\(id)", title, "Core 6.0, Vol 3, Part G", unasked: reason)
    }
}

extension Examiner {
    /// Fails unless these octets, which are no request that there is, are refused as that.
    mutating func expectUnknown(_ octets: [UInt8]) throws(CheckExit) {
        let answer = try answer(to: octets)
        if connection == nil { throw hungUp(instead: octets.hex) }
        let wanted = PDU.errorResponse(request: octets[0], handle: 0, .requestNotSupported).octets
        try expect(
            answer == wanted, "\(octets.hex), which is no request, is answered by \(wanted.hex)",
            seen: answer?.hex ?? "no answer")
    }
}
