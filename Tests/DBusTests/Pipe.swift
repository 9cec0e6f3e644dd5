import DBus
import Glibc

/// Both ends of a stream. Whoever reads sees the end when nobody has a copy of the other side any more.
struct Pipe {
    let reading: Descriptor
    let writing: Descriptor

    /// Nil if the process has too many open files.
    init?() {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        (reading, writing) = (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    }

    /// What can be read: empty at the end, nil as long as somebody could still write.
    static func read(_ descriptor: Descriptor) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = unsafe Glibc.read(descriptor.number ?? -1, &buffer, buffer.count)
        return count < 0 ? nil : Array(buffer[..<count])
    }

    static func write(_ octets: [UInt8], to descriptor: Descriptor?) {
        _ = unsafe Glibc.write(descriptor?.number ?? -1, octets, octets.count)
    }
}
