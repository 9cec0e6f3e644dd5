import ATT
import Basics
import Bluetooth
import Checks
import GATT

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

    /// The SIG's test cases that are not run, with the reason.  Bluetooth Test Suite GATT.TS p29.
    static let notRun: [Check] = [
        (["GAC/BI-01-C"], "Exchange MTU on an enhanced bearer is rejected", .enhanced),
        (["GAC/BI-02-C", "GAC/BI-03-C"], "Exchange MTU over BR/EDR is rejected", .classic),
        (["GAD/BV-07-C", "GAD/BV-08-C"], "services have SDP records", .classic),
        (["GAN/BV-02-C"], "one notification carries several values", .multiple),
        (["GAR/BI-34-C", "GAR/BI-35-C"], "a value of the other transport cannot be read", .dualMode),
        (["GAR/BI-45-C"], "a second request before the response to the first does not confuse the server", .crossing),
        (["GAR/BV-11-C", "GAR/BV-12-C"], "several values can be read at once on an enhanced bearer", .enhanced),
        (["GAW/BV-12-C", "GAW/BV-13-C", "GAW/BV-14-C"], "each bearer has its own prepare queue", .enhanced),
        (["GAW/BI-01-C", "GAW/BV-02-C"], "a value is written only with a valid signature", .signature),
        (["GAW/BI-40-C"], "a signed write that is too long changes nothing", .signature),
        (["GAW/BI-36-C", "GAW/BI-37-C"], "a signed write over BR/EDR is ignored", .classic),
        (["GAW/BI-38-C"], "a signed write on an enhanced bearer is ignored", .enhanced),
        (
            ["01", "02", "03", "04", "06"].map { "GPM/BV-\($0)-C" },
            "a client has one configuration on all its bearers", .classic
        ),
        (["GPM/BV-05-C"], "a client has one configuration on all its bearers", .enhanced),
        (["GPM/BV-13-C"], "a client has a configuration on each bearer", .classic),
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
