/// The prepare queue of one client: parts of values in the order received.  Core 6.0, Vol 3, Part F, section 3.4.6.
struct PreparedWrites: Sendable {
    struct Part: Sendable {
        let handle: UInt16
        let offset: Int
        let octets: [UInt8]
    }

    private(set) var parts: [Part] = []
    private var octetCount = 0
    /// The attributes changed after parts were queued, so their handles may be wrong.
    private(set) var isOutOfSync = false

    /// Queues a part; returns false, and adds nothing, if the queue is full.
    mutating func add(_ octets: [UInt8], at offset: UInt16, for handle: UInt16) -> Bool {
        guard parts.count < Server.maximumPreparedWrites, octetCount + octets.count <= Server.maximumPreparedOctets
        else {
            return false
        }
        parts.append(Part(handle: handle, offset: Int(offset), octets: octets))
        octetCount += octets.count
        return true
    }

    mutating func databaseChanged() { isOutOfSync = !parts.isEmpty }
}
