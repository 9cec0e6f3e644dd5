import ATT
import Bluetooth
import Checks
import GATT
import Octets

// Unknown opcodes.  Core 6.0, Vol 3, Part F, section 3.3.
extension Check {
    static let unknown = [
        refusing(
            "GATT/SR/UNS/BI-01-C", "an unknown ATT opcode is rejected with \(ATTError.requestNotSupported)", att("3.3")
        ) { peripheral throws(CheckExit) in try peripheral.expectUnknown([0x3F, 0x01, 0x02]) },
        refusing(
            "GATT/SR/UNS/BI-02-C", "the server does not answer an unknown command", att("3.3")
        ) { peripheral throws(CheckExit) in
            try peripheral.expectSilence(after: [0x7F, 0x01, 0x02], "an unknown command")
        },
    ]

    /// The SIG's test cases that are not run, with the reason.
    static let notRun: [Check] = [
        (["GAC/BI-01-C"], "Exchange MTU on an enhanced bearer is rejected", .enhanced),
        (["GAC/BI-02-C", "GAC/BI-03-C"], "Exchange MTU over BR/EDR is rejected", .classic),
        (["GAD/BV-07-C", "GAD/BV-08-C"], "services have SDP records", .classic),
        (["GAN/BV-02-C"], "one notification carries several values", .multiple),
        (["GAR/BI-34-C", "GAR/BI-35-C"], "a value of the other transport cannot be read", .dualMode),
        (["GAR/BI-45-C"], "a value cannot be read", .variant),
        (["GAR/BV-11-C", "GAR/BV-12-C"], "several values can be read at once on an enhanced bearer", .enhanced),
        (["GAS/BV-08-C"], "several values can be read at once", .variant),
        (["GAW/BV-12-C", "GAW/BV-13-C", "GAW/BV-14-C"], "each bearer has its own prepare queue", .enhanced),
        (["GAW/BI-39-C"], "a value that is one octet too long is rejected", .variant),
        (
            ["GAW/BI-01-C", "GAW/BI-36-C", "GAW/BI-37-C", "GAW/BI-38-C", "GAW/BI-40-C", "GAW/BV-02-C"],
            "a value is written only with a valid signature", .signature
        ),
        (
            ["01", "02", "03", "04", "05", "06", "13"].map { "GPM/BV-\($0)-C" },
            "each client has its own configuration", .variant
        ),
    ].flatMap { (ids: [String], title: String, limitation: Prerequisite.Limitation) in
        ids.map { Check("GATT/SR/\($0)", title, "Core 6.0, Vol 3, Part G", limitation: limitation) }
    }
}

extension Examiner {
    /// Fails unless the server rejects these octets, a request with an unknown opcode.
    mutating func expectUnknown(_ octets: [UInt8]) throws(CheckExit) {
        let answer = try promptAnswer(to: octets)
        if connection == nil { throw disconnectedFailure(instead: octets.text) }
        let expected = PDU.errorResponse(request: octets[0], handle: 0, .requestNotSupported).octets
        try expect(
            answer == expected, "\(expected.text) in answer to the unknown request \(octets.text)",
            seen: answer?.text ?? missingAnswer)
    }
}
