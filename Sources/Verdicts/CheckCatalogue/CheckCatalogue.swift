package import Checks

extension Check {
    /// All checks, in the order in which reports list them.
    package static let all: [Check] =
        advertising + reconnection + heartRate + thermometer + pulseOximeter + running + deviceInformation + battery
        + vendor + sampleStreams + discovery + reading + readErrors + writing + writeErrors
        + notifications + caching + awareness + bondedClients + unknown + notRun + securityManager + malformed
        + halfOpen + floods

    /// A section about ATT.
    static func att(_ section: String) -> String { "Core 6.0, Vol 3, Part F, section \(section)" }
    /// A section about GATT.
    static func gatt(_ section: String) -> String { "Core 6.0, Vol 3, Part G, section \(section)" }
}
