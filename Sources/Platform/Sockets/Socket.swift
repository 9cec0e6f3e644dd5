import CLubdubLinux
import Glibc

/// A non-blocking stream socket, closed on deinitialization. All pointers of this module stay in this file.
@safe struct Socket: ~Copyable {
    let descriptor: CInt

    /// The result of a system call.
    enum Outcome<Value> {
        case done(Value)
        /// The socket is not ready: the call must be repeated when it is.
        case wouldBlock
        case failed(Int32)
    }

    /// A system address: a `sockaddr` of any family.
    struct ResolvedAddress: Equatable {
        let family: CInt
        let octets: [UInt8]
    }

    private init(descriptor: CInt) { self.descriptor = descriptor }

    /// Nil, with `errno` set, if the system has no sockets left.
    init?(family: CInt) {
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { return nil }
        self.init(descriptor: descriptor)
    }

    deinit { close(descriptor) }

    /// Gives the descriptor away, without closing it.
    consuming func release() -> CInt {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    // MARK: Addresses

    /// The system addresses of `address`; throws if its host cannot be resolved.
    static func resolve(_ address: StreamAddress, toListen: Bool) throws(SocketFailure) -> [ResolvedAddress] {
        switch address {
        case .unix(let path): return [resolvedAddress(ofPath: path)]
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
            var resolved: [ResolvedAddress] = []
            var next = unsafe list
            while let entry = unsafe next?.pointee {
                let octets = unsafe UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))
                unsafe resolved.append(ResolvedAddress(family: entry.ai_family, octets: Array(octets)))
                unsafe next = entry.ai_next
            }
            return resolved
        }
    }

    private static func resolvedAddress(ofPath path: String) -> ResolvedAddress {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { target in
            unsafe target.copyBytes(from: path.utf8.prefix(target.count - 1))  // the rest is 0 already
        }
        return ResolvedAddress(family: AF_UNIX, octets: unsafe withUnsafeBytes(of: &address) { unsafe Array($0) })
    }

    private static func with<Result>(
        _ address: ResolvedAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var storage = sockaddr_storage()
        unsafe withUnsafeMutableBytes(of: &storage) { target in
            unsafe target.copyBytes(from: address.octets.prefix(target.count))
        }
        return unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(address.octets.count))
            }
        }
    }

    // MARK: Opening

    /// Listens at an address; returns `errno` on failure. Linux creates a socket file with the mode of the socket, so
    /// nobody but the owner can ever connect to a socket that is `forOwnerOnly`.
    func listen(at address: ResolvedAddress, forOwnerOnly: Bool) -> Int32? {
        var yes: CInt = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        if forOwnerOnly, fchmod(descriptor, S_IRUSR | S_IWUSR) != 0 { return errno }
        let status = unsafe Self.with(address) { unsafe bind(descriptor, $0, $1) }
        guard status == 0, Glibc.listen(descriptor, 64) == 0 else { return errno }
        return nil
    }

    /// Connects to an address. After `.wouldBlock`, the socket becomes writable when `connectionError` is known.
    func connect(to address: ResolvedAddress) -> Outcome<Void> {
        guard unsafe Self.with(address, { unsafe Glibc.connect(descriptor, $0, $1) }) != 0 else { return .done(()) }
        return errno == EINPROGRESS ? .wouldBlock : .failed(errno)
    }

    /// The error of a connection attempt that has ended; nil if it succeeded.
    func connectionError() -> Int32? {
        var (code, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return errno }
        return code == 0 ? nil : code
    }

    /// Accepts the next connection.
    func accept() -> Outcome<Socket.Descriptor> {
        let accepted = acceptStream(descriptor)
        guard accepted >= 0 else {
            return [EAGAIN, EINTR, ECONNABORTED].contains(errno) ? .wouldBlock : .failed(errno)
        }
        return .done(Descriptor(number: accepted))
    }

    /// An accepted descriptor, to be owned by `init(taking:)`.
    struct Descriptor { fileprivate let number: CInt }

    init(taking accepted: Descriptor) { self.init(descriptor: accepted.number) }

    /// Disables Nagle's algorithm: each packet is a whole HCI packet that the other side waits for.
    func sendWithoutDelay() {
        var yes: CInt = 1
        unsafe setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<CInt>.size))
    }

    /// The port to which a TCP socket is bound; nil for other sockets.
    var port: UInt16? {
        var (storage, size) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
        let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size)
            }
        }
        // Both families have the port after the family, in network byte order.
        guard status == 0, [AF_INET, AF_INET6].contains(CInt(storage.ss_family)) else { return nil }
        return unsafe withUnsafeBytes(of: &storage) { unsafe UInt16($0[2]) << 8 | UInt16($0[3]) }
    }

    // MARK: Octets

    /// Receives the available octets, up to the size of `buffer`; 0 is the end of the stream.
    func receive(into buffer: inout [UInt8]) -> Outcome<Int> {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        return outcome(count)
    }

    /// Sends octets and returns how many the system accepted. If the other side closed the stream, this fails instead
    /// of raising SIGPIPE.
    func send(_ octets: ArraySlice<UInt8>) -> Outcome<Int> {
        let count = unsafe octets.withUnsafeBytes {
            unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        }
        return outcome(count)
    }

    private func outcome(_ count: Int) -> Outcome<Int> {
        if count >= 0 { return .done(count) }
        return errno == EAGAIN || errno == EINTR ? .wouldBlock : .failed(errno)
    }
}

/// The identity of a file, which a path loses when another file replaces it.
struct FileIdentity: Equatable {
    private let device: UInt64
    private let number: UInt64
    let isSocket: Bool

    /// How many names the open file has; 0 after it was replaced or removed.
    static func names(of descriptor: CInt) -> Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_nlink) : 0
    }

    /// Nil if there is no file at `path`.
    init?(path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Nil if nothing is open.
    init?(descriptor: CInt) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
        isSocket = status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Removes the file at `path` if it is still this one.
    func remove(_ path: String) {
        if FileIdentity(path: path) == self { unsafe unlink(path) }
    }
}
