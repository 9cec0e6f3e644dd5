package import Basics
import CLubdubLinux
import Glibc

/// How to start another program.
package struct Launch {
    package let program: String
    package let arguments: [String]
    /// Variables that are added to the environment of this process, or replace its variables.
    package var environment: [(name: String, value: String)] = []
    /// The signals that this program ignores, but not the programs that it starts.
    package static let ignoredSignals = [SIGPIPE, SIGXFSZ]

    /// Whether it leads a new process group, with an empty standard input unless `input` is one.
    package var leadsGroup = false
    package var input: CInt?
    /// Its standard error; inherited if nil.
    package var errors: CInt?

    package init(_ program: String, _ arguments: [String]) { (self.program, self.arguments) = (program, arguments) }

    /// Starts it. Returns the process and the read end of its standard output.
    package func start() throws(Obstacle) -> (process: Int32, output: CInt) {
        var ends: [CInt] = [0, 0]
        guard unsafe openPipe(&ends) == 0 else { throw failure(errno) }
        defer { Glibc.close(ends[1]) }
        do throws(Obstacle) { return (try start(output: ends[1]), ends[0]) } catch {
            Glibc.close(ends[0])
            throw error
        }
    }

    /// Starts it with a standard output.
    package func start(output: CInt) throws(Obstacle) -> Int32 {
        let (code, process) = spawn(output: output)
        guard code == 0 else { throw failure(code) }
        return process
    }

    /// The exit status in a status of `wait(2)`; 128 plus the number of the signal that killed the process.
    package static func status(_ code: CInt) -> UInt8 {
        UInt8(truncatingIfNeeded: code & 0x7F == 0 ? code >> 8 : 128 + code & 0x7F)
    }

    private func failure(_ code: CInt) -> Obstacle {
        let reason = unsafe String(cString: strerror(code))
        return Obstacle(.environment, "cannot start \(program.quoted): \(reason)")
    }

    private func spawn(output: CInt) -> (code: CInt, process: pid_t) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        if let input {
            unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else if leadsGroup {
            unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        if let errors { unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }

        // Blocked and ignored signals would be inherited.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for number in Self.ignoredSignals { unsafe sigaddset(&signals, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (leadsGroup ? POSIX_SPAWN_SETPGROUP : 0)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        let added = unsafe environment.map { unsafe strdup("\($0.name)=\($0.value)") }
        var variables = unsafe inherited + added + [nil]
        defer { unsafe (words + added).forEach { unsafe free($0) } }
        var process = pid_t()
        let code = unsafe posix_spawn(&process, program, &actions, &attributes, &words, &variables)
        return (code, process)
    }

    /// The variables of this process that are not replaced.
    private var inherited: [UnsafeMutablePointer<CChar>?] {
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe []
        var place = unsafe environ
        while let variable = unsafe place.pointee {
            let text = unsafe String(cString: variable)
            if !environment.contains(where: { text.hasPrefix("\($0.name)=") }) { unsafe variables.append(variable) }
            unsafe place += 1
        }
        return unsafe variables
    }
}
