import CBluetooth
import Glibc

/// A socket of the kernel's Bluetooth, bound to a channel; closed on deinitialization.  Linux, `net/bluetooth/hci_sock.c`.
struct HCISocket: ~Copyable {
    /// How a socket reaches the kernel or an adapter.
    enum Channel {
        /// The Bluetooth Management API.
        case control
        /// The HCI packets of one adapter, without the kernel's host.
        case user(adapter: UInt16)

        fileprivate var address: sockaddr_hci {
            let (device, channel) =
                switch self {
                case .control: (UInt16(HCI_DEV_NONE), UInt16(HCI_CHANNEL_CONTROL))
                case .user(let adapter): (adapter, UInt16(HCI_CHANNEL_USER))
                }
            return sockaddr_hci(hci_family: sa_family_t(AF_BLUETOOTH), hci_dev: device, hci_channel: channel)
        }
    }

    /// The `errno(3)` with which the kernel refused a socket.
    struct Refused: Error {
        let code: Int32
    }

    let descriptor: CInt

    /// Opens a non-blocking socket.
    init(_ channel: Channel) throws(Refused) {
        let kind = CInt(SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_BLUETOOTH, kind, CInt(BTPROTO_HCI))
        guard descriptor >= 0 else { throw Refused(code: errno) }
        let code = Self.bind(descriptor, to: channel.address)
        guard code == 0 else {
            close(descriptor)
            throw Refused(code: code)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The descriptor, which the caller closes.
    consuming func release() -> CInt {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    /// Returns an `errno(3)`, or 0.
    private static func bind(_ descriptor: CInt, to address: sockaddr_hci) -> CInt {
        var address = address
        let length = socklen_t(MemoryLayout<sockaddr_hci>.size)
        let status = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe Glibc.bind(descriptor, address, length)
            }
        }
        return status == 0 ? 0 : errno
    }

    /// Asks the kernel to keep this many octets until they are read; without the right to do so it keeps fewer.
    func setReceiveBuffer(_ octets: CInt) {
        var octets = octets
        let length = socklen_t(MemoryLayout<CInt>.size)
        if unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &octets, length) != 0 {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &octets, length)
        }
    }
}
