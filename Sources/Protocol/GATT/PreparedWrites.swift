/// The prepare queue of one client: parts of values, in the order they came.  Core 6.0, Vol 3, Part F, section 3.4.6.
struct PreparedWrites: Sendable {
    struct Part: Sendable {
        let handle: UInt16
        let offset: Int
        let octets: [UInt8]
    }

    private(set) var parts: [Part] = []
    private var octetCount = 0
    /// The attributes have changed since, so that the handles may mean others.
    private(set) var isOutOfSync = false

    /// False, and nothing is added, when the queue is full.
    mutating func add(_ octets: [UInt8], at offset: UInt16, for handle: UInt16) -> Bool {
        guard parts.count < Server.mostPrepared, octetCount + octets.count <= Server.mostPreparedOctets else {
            return false
        }
        parts.append(Part(handle: handle, offset: Int(offset), octets: octets))
        octetCount += octets.count
        return true
    }

    mutating func databaseChanged() { isOutOfSync = !parts.isEmpty }
}
