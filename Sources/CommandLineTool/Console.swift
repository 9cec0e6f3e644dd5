import Glibc

/// Standard output carries results, standard error messages; each line goes out at once.
enum Console {
    /// A line of results.
    static func print(_ line: String) { write(line, to: STDOUT_FILENO) }

    /// A line for the person who typed the command.
    static func complain(_ line: String) { write(line, to: STDERR_FILENO) }

    private static func write(_ line: String, to descriptor: CInt) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return }  // nobody reads it any more
            rest = rest.dropFirst(count)
        }
    }
}
