package import Checks

// The test cases SM/PER of the Bluetooth SIG.
extension Check {
    /// All checks of pairing and bonds.  Core 6.0, Vol 3, Part H.
    package static let securityManager = pairing + passkey + outOfBand + keys

    /// A section about the Security Manager.
    static func sm(_ section: String) -> String { "Core 6.0, Vol 3, Part H, section \(section)" }

    /// A check of pairing, on its own connection.
    static func pairing(
        _ id: String, _ title: String, _ section: String, weight: Weight = .required, body: @escaping Body
    ) -> Check {
        Check("SM/PER/\(id)-C", title, sm(section), scope: .stranger, weight: weight, if: .pairing, body: body)
    }
}
