// Test cases for a Central that pairs.  Bluetooth Test Suite SM.TS p30, and Core 6.0, Vol 3, Part H.
extension CollectorCase {
    private static let signature = "not supported yet: signed writes"
    private static let dualMode = "not supported: devices with BR/EDR and Low Energy"

    static let pairing = [
        central("JW/BV-01", "pairs with Just Works", "2.3.5.2"),
        central("JW/BV-05", "ends Just Works when the peripheral answers Pairing Failed", "3.5.5"),
        central("JW/BI-01", "rejects a wrong confirm value with Just Works", "2.3.5.5"),
        central("JW/BI-04", "ignores reserved bits of AuthReq with Just Works", "3.5.2"),
        central("JW/BI-06", "rejects its own confirm value with Just Works", "2.3.5.5"),
        central("PKE/BV-01", "pairs with Passkey Entry", "2.3.5.3"),
        central(
            "PKE/BV-04", "pairs without authentication if the peripheral has neither a display nor a keyboard",
            "2.3.5.1"),
        central("PKE/BV-05", "displays another passkey in each pairing", "2.3.5.3"),
        central("PKE/BI-01", "rejects a wrong random value with Passkey Entry", "2.3.5.5"),
        central("PKE/BI-02", "ends Passkey Entry when the peripheral does", "3.5.5"),
        central("PKE/BI-03", "rejects its own confirm value with Passkey Entry", "2.3.5.5"),
        central("OOB/BV-01", "pairs with data that both devices have exchanged out of band", "2.3.5.4"),
        central("OOB/BV-03", "pairs another way if only the client has data", "2.3.5.1"),
        central("OOB/BV-05", "pairs another way if only the peripheral has data", "2.3.5.1"),
        central("OOB/BV-07", "pairs without authentication if only the peripheral has data", "2.3.5.1"),
        central("OOB/BV-09", "pairs without authentication if only the client has data", "2.3.5.1"),
        central("OOB/BI-01", "rejects different data", "2.3.5.5"),
        central("EKS/BV-01", "accepts a key of the minimum size, 7 octets", "2.3.4"),
        central("EKS/BI-01", "rejects a key size of 6 octets", "2.3.4"),
        central("KDU/BV-04", "distributes its CSRK on request", "3.6.1"),
        central("KDU/BV-05", "distributes its IRK and identity address on request", "3.6.1"),
        central("KDU/BV-06", "distributes its LTK, EDIV and Rand on request", "3.6.1"),
        central(
            "KDU/BV-10", "distributes its IRK and identity address on request, with LE Secure Connections", "3.6.1"),
        central("KDU/BV-11", "distributes its CSRK on request, with LE Secure Connections", "3.6.1"),
        central("KDU/BI-01", "gets no key with an invalid public key", "2.3.5.6.1"),
        central("KDU/BI-04", "rejects an invalid public key", "2.3.5.6.1"),
        central("SIGN/BV-01", "signs a write", "2.4.5", limitation: signature),
        central("SIGN/BV-03", "accepts a signed write", "2.4.5", limitation: signature),
        central("SIGN/BI-01", "ignores a write with a wrong signature", "2.4.5", limitation: signature),
        central("PROT/BV-01", "ends pairing 30 s after the last PDU", "3.4"),
        central("PIS/BV-02", "pairs after a Security Request", "2.4.6"),
        central("PIS/BV-03", "pairs after a Security Request if it has no bond, and ignores a second one", "2.4.6"),
        central("SCJW/BV-01", "pairs with LE Secure Connections and Just Works", "2.3.5.6.2"),
        central("SCJW/BV-04", "ignores reserved bits of AuthReq with LE Secure Connections", "3.5.2"),
        central("SCJW/BI-01", "ends LE Secure Connections when the peripheral answers Pairing Failed", "3.5.5"),
        central("SCPK/BV-01", "pairs with LE Secure Connections and Passkey Entry", "2.3.5.6.3"),
        central("SCPK/BV-04", "ignores reserved bits of AuthReq with LE Secure Connections and Passkey Entry", "3.5.2"),
        central("SCPK/BV-05", "displays another passkey in each pairing with LE Secure Connections", "2.3.5.6.3"),
        central("SCPK/BI-01", "ends Passkey Entry with LE Secure Connections when the peripheral does", "3.5.5"),
        central("SCPK/BI-02", "rejects wrong confirm values with LE Secure Connections and Passkey Entry", "2.3.5.6.3"),
        central("SCOB/BV-01", "pairs with LE Secure Connections and data out of band", "2.3.5.6.4"),
        central("SCOB/BV-04", "ignores reserved bits of AuthReq with LE Secure Connections out of band", "3.5.2"),
        central("SCOB/BI-01", "ends pairing out of band when the peripheral does", "3.5.5"),
        central("SCOB/BI-04", "rejects wrong data with LE Secure Connections", "2.3.5.6.4"),
        central("SCCT/BV-03", "derives the LTK from the link key with h6", "2.4.2.5", limitation: dualMode),
        central("SCCT/BV-05", "derives the LTK from the link key with h7", "2.4.2.5", limitation: dualMode),
        central("SCCT/BV-07", "derives the link key from the LTK with h6", "2.4.2.4", limitation: dualMode),
        central("SCCT/BV-09", "derives the link key from the LTK with h7", "2.4.2.4", limitation: dualMode),
    ]

    private static func central(
        _ id: String, _ title: String, _ section: String, limitation: String? = nil
    ) -> CollectorCase {
        CollectorCase("SM/CEN/\(id)-C", title, "Core 6.0, Vol 3, Part H, section \(section)", limitation: limitation)
    }
}
