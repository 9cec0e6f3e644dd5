package import Basics
package import Glibc

/// A program of a test could not be started, or did not do what it should.
package struct ChildFailure: Error {
    let what: String
}

/// A program that a test starts, and ends by its number.
package final class Child: Sendable {
    /// Its number.
    package let pid: pid_t
    private let output: CInt

    /// Starts a program in PATH; its standard output can be read, its standard error is passed through.
    package init(_ arguments: [String]) throws {
        var (ends, child): ([CInt], pid_t) = ([0, 0], 0)
        guard unsafe pipe(&ends) == 0 else { throw ChildFailure(what: "no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
        let code = unsafe posix_spawnp(&child, arguments[0], &actions, nil, &words, &environment)
        unsafe words.forEach { unsafe free($0) }
        unsafe posix_spawn_file_actions_destroy(&actions)
        Glibc.close(ends[1])
        (pid, output) = (child, ends[0])
        guard code == 0 else { throw ChildFailure(what: "\(arguments) cannot be started") }
    }

    deinit { Glibc.close(output) }

    /// Whether a program is where programs are.
    package static func isInstalled(_ program: String) -> Bool {
        ["/usr/bin", "/bin", "/usr/local/bin"].contains { unsafe access("\($0)/\(program)", X_OK) == 0 }
    }

    /// What it prints, up to the end of a line; waits 10 s at most.
    package func line() throws -> String {
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            var polled = pollfd(fd: output, events: CShort(POLLIN), revents: 0)
            guard unsafe poll(&polled, 1, 10_000) == 1 else { throw ChildFailure(what: "it prints nothing") }
            var octet: UInt8 = 0
            guard unsafe read(output, &octet, 1) == 1 else { throw ChildFailure(what: "it ended too early") }
            line.append(octet)
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    /// Waits for its exit while the loop runs; returns its output and exit status.
    package func ended(on loop: EventLoop) async throws -> (output: String, status: CInt) {
        var status: CInt = 0
        while unsafe waitpid(pid, &status, WNOHANG) == 0 { try await loop.sleep(for: .milliseconds(2)) }
        var octets = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe read(output, &octets, octets.count)
        return (String(decoding: octets.prefix(max(0, count)), as: UTF8.self), status >> 8)
    }

    /// Ends it, and waits until it has.
    package func kill() {
        Glibc.kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }
}
