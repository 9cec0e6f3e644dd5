import CLinux
import Glibc

/// A stream socket that never blocks; closed when it goes.  All pointers of this module stay in this file.
@safe struct Socket: ~Copyable {
    let descriptor: CInt

    /// What a call came to.
    enum Outcome<Value> {
        case done(Value)
        /// The socket is not ready: try again when it is.
        case later
        case failed(Int32)
    }

    /// An address as the system has it: a `sockaddr` of some family, and for `unix` its path.
    struct Place: Equatable {
        let family: CInt
        let octets: [UInt8]
    }

    private init(descriptor: CInt) { self.descriptor = descriptor }

    /// Nil, and `errno` set, when the system has no more sockets.
    init?(family: CInt) {
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { return nil }
        self.init(descriptor: descriptor)
    }

    deinit { close(descriptor) }

    // MARK: Places

    /// Where `address` is; throws when its host has no number.
    static func places(of address: StreamAddress, toListen: Bool) throws(SocketFailure) -> [Place] {
        switch address {
        case .unix(let path): return [place(ofPath: path)]
        case .tcp(let host, let port):
            var hints = unsafe addrinfo()
            unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
            unsafe hints.ai_flags = AI_NUMERICSERV | (toListen ? AI_PASSIVE : 0)
            var list: UnsafeMutablePointer<addrinfo>?
            let status = unsafe getaddrinfo(host, String(port), &hints, &list)
            guard status == 0 else {
                throw .unresolved(address, reason: unsafe String(cString: gai_strerror(status)))
            }
            defer { unsafe freeaddrinfo(list) }
            var places: [Place] = []
            var next = unsafe list
            while let entry = unsafe next?.pointee {
                let octets = unsafe UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))
                unsafe places.append(Place(family: entry.ai_family, octets: Array(octets)))
                unsafe next = entry.ai_next
            }
            return places
        }
    }

    private static func place(ofPath path: String) -> Place {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { target in
            unsafe target.copyBytes(from: path.utf8.prefix(target.count - 1))  // the rest is 0 already
        }
        return Place(family: AF_UNIX, octets: unsafe withUnsafeBytes(of: &address) { unsafe Array($0) })
    }

    private static func with<Result>(
        _ place: Place, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var storage = sockaddr_storage()
        unsafe withUnsafeMutableBytes(of: &storage) { target in
            unsafe target.copyBytes(from: place.octets.prefix(target.count))
        }
        return unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(place.octets.count))
            }
        }
    }

    // MARK: Opening

    /// Nil when it listens, else `errno`.  Linux makes a socket file with the mode of the socket: so nobody but its owner
    /// can connect to one `forOwnerOnly`, from the moment at which it is there.
    func listen(at place: Place, forOwnerOnly: Bool) -> Int32? {
        var yes: CInt = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        if forOwnerOnly, fchmod(descriptor, S_IRUSR | S_IWUSR) != 0 { return errno }
        let status = unsafe Self.with(place) { unsafe bind(descriptor, $0, $1) }
        guard status == 0, Glibc.listen(descriptor, 64) == 0 else { return errno }
        return nil
    }

    /// Done at once, later (when it is writable, `connected` tells), or failed.
    func connect(to place: Place) -> Outcome<Void> {
        guard unsafe Self.with(place, { unsafe Glibc.connect(descriptor, $0, $1) }) != 0 else { return .done(()) }
        return errno == EINPROGRESS ? .later : .failed(errno)
    }

    /// Nil when it is connected, else the error that it came to.
    func connected() -> Int32? {
        var (code, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return errno }
        return code == 0 ? nil : code
    }

    /// The next one of those who want to connect.
    func accept() -> Outcome<Socket.Descriptor> {
        let accepted = acceptStream(descriptor)
        guard accepted >= 0 else {
            return [EAGAIN, EINTR, ECONNABORTED].contains(errno) ? .later : .failed(errno)
        }
        return .done(Descriptor(number: accepted))
    }

    /// A descriptor on its way from `accept` to `init(taking:)`, which owns it.
    struct Descriptor { fileprivate let number: CInt }

    init(taking accepted: Descriptor) { self.init(descriptor: accepted.number) }

    /// Sends small packets at once: each is a whole HCI packet that somebody waits for.
    func sendWithoutDelay() {
        var yes: CInt = 1
        unsafe setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<CInt>.size))
    }

    /// The port that a TCP socket is bound to; nil for any other socket.
    var port: UInt16? {
        var (storage, size) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
        let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size)
            }
        }
        // Both families have the port behind the family, its higher octet first.
        guard status == 0, [AF_INET, AF_INET6].contains(CInt(storage.ss_family)) else { return nil }
        return unsafe withUnsafeBytes(of: &storage) { unsafe UInt16($0[2]) << 8 | UInt16($0[3]) }
    }

    // MARK: Octets

    /// As many octets as are there, up to the size of `buffer`; 0 is the end of the stream.
    func receive(into buffer: inout [UInt8]) -> Outcome<Int> {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        return outcome(count)
    }

    /// How many of the octets the system has taken.  A stream that is closed at the other side is a failure, and
    /// not the signal SIGPIPE.
    func send(_ octets: ArraySlice<UInt8>) -> Outcome<Int> {
        let count = unsafe octets.withUnsafeBytes {
            unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        }
        return outcome(count)
    }

    private func outcome(_ count: Int) -> Outcome<Int> {
        if count >= 0 { return .done(count) }
        return errno == EAGAIN || errno == EINTR ? .later : .failed(errno)
    }
}

/// A file of the file system by its numbers, which a path may lose to another file.
struct FileIdentity: Equatable {
    private let device: UInt64
    private let number: UInt64
    let isSocket: Bool

    /// Nil when there is no file at `path`.
    init?(path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
        isSocket = status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Removes the file at `path` if it is still this one.
    func remove(_ path: String) {
        if FileIdentity(path: path) == self { unsafe unlink(path) }
    }
}
