import Basics
import FoundationEssentials
import Glibc
import Linux
import Testing

/// Programs in C that follow virtual time.
///
/// `LUBDUB_SOAK` sets the number of laps of the ring while two loops compute; `make soak` plays 100,000.
@Suite(.serialized) struct ClientTimeTests {
    private static let laps = ProcessInfo.processInfo.environment["LUBDUB_SOAK"].flatMap(Int.init) ?? 200
    /// Whether this machine can forbid system calls to a program.
    private static let canConfine = (try? run("\(built.get())/confined true").status) == 0
    private static let root = String(#filePath.dropLast("/Tests/LinuxTests/ClientTimeTests.swift".count))
    /// The library and the programs, built once.
    private static let built = Result { try build() }

    private static func build() throws -> String {
        let folder = FileManager.default.temporaryDirectory.path + "/lubdub-client-time-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let compiler = "$(command -v clang || command -v cc)"
        let sources = "\(root)/Tests/LinuxTests/ClientTime"
        let commands =
            ["\(root)/Tools/client-time-library \(folder)"]
            + ["waits", "ring", "turns", "stress", "confined"].map {
                "\(compiler) -O2 -o \(folder)/\($0) \(sources)/\($0).c -pthread"
            }
            + [
                "echo 'int main(void) { for (;;) sleep(1); }' | \(compiler) -w -xc - -static -include unistd.h "
                    + "-o \(folder)/static"
            ]
        for command in commands {
            let (status, output) = try run(command)
            guard status == 0 else { throw Obstacle(.environment, "\(command): \(output)") }
        }
        return folder
    }

    private static func run(_ command: String) throws -> (status: UInt8, output: String) {
        let (process, output) = try Launch("/bin/sh", ["-c", command]).start()
        defer { close(output) }
        let text = read(output)
        var code = CInt(0)
        unsafe waitpid(process, &code, 0)
        return (Launch.status(code), text)
    }

    private static func read(_ descriptor: CInt) -> String {
        var (text, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += buffer[..<count]
        }
    }

    private struct Played {
        var status: UInt8?
        var output = ""
        var stranger: String?
        var hasCrept = false
        var time = Duration.zero
        /// The looks at its threads from 1 s to 59 s.
        var looks: UInt64 = 0
    }

    /// Runs a program below two shells, which are in the place of the supervisors, until it ends or cannot follow.
    private static func play(
        _ command: String, looksOnce: Bool? = nil, charge: TurnCharge? = nil
    ) throws -> Played {
        let folder = try built.get()
        let time = try ClientTime(seed: 1, ClientTimeLibrary(path: "\(folder)/liblubdubtime.so"), charge: charge)
        if let looksOnce { time.lookSlowly(microseconds: 5, once: looksOnce) }
        let loop = EventLoop(leading: time)
        return try loop.run {
            var played = Played()
            let client = "cd \(folder); LD_PRELOAD=$LUBDUB_TIME_LIBRARY \(command); exit $?"
            var launch = Launch("/bin/sh", ["-c", "/bin/sh -c '\(client)'; exit $?"])
            launch.environment = time.variables
            launch.leadsGroup = true
            let (process, output) = try launch.start()
            time.follow(process)
            var code = CInt(0)
            while unsafe waitpid(process, &code, WNOHANG) == 0 {
                try await loop.sleep(until: loop.now.advanced(by: .milliseconds(20)))
                if loop.now == .start.advanced(by: .seconds(1)) { played.looks = time.looks }
                if loop.now == .start.advanced(by: .seconds(59)) { played.looks = time.looks - played.looks }
                played.stranger = played.stranger ?? time.stranger
                if played.stranger != nil { kill(-process, SIGKILL) }
            }
            played.status = Launch.status(code)
            played.hasCrept = time.hasCrept
            played.time = loop.now.sinceStart
            played.output = read(output)
            close(output)
            return played
        }
    }

    @Test func `Each wait returns what it should, and takes exactly its time`() throws {
        let played = try Self.play("./waits 1")  // a busy wait ends up to 1 ms late
        #expect(played.output == "")
        #expect(played.status == 0)
        #expect(!played.hasCrept)
        #expect(played.time > .seconds(35))
    }

    @Test(arguments: [
        "pipe", "pipe with limit", "socket", "counter", "condition", "condition with limit", "semaphore with limit",
    ])
    func `No time passes while threads wake each other`(kind: String) throws {
        let played = try Self.play("./ring \"\(kind)\" THREADS 100", looksOnce: false)
        #expect(played.output == "0\n")
    }

    @Test(arguments: ["pipe", "pipe with limit", "socket"])
    func `No time passes while processes wake each other`(kind: String) throws {
        let played = try Self.play("./ring \"\(kind)\" PROCESSES 100", looksOnce: false)
        #expect(played.output == "0\n")
    }

    @Test func `The ring finds that one look at each thread is not enough`() throws {
        var wrong = 0
        for _ in 0..<10 where wrong == 0 {
            let played = try Self.play("./ring condition THREADS 100", looksOnce: true)
            wrong = Int(played.output.dropLast()) ?? 0
        }
        #expect(wrong > 0)
    }

    @Test func `With a charge, each wait returns when the turn before it is over`() throws {
        let played = try Self.play("exec ./turns 7", charge: TurnCharge("7ms"))
        #expect(played.output == "")
        #expect(played.status == 0)
        #expect(played.time >= .milliseconds(105))
    }

    @Test(arguments: [
        ("condition with limit", "THREADS"), ("socket", "THREADS"), ("pipe", "PROCESSES"),
    ])
    func `No time passes while others compute`(kind: String, nodes: String) throws {
        let busy = try (0..<2).map { _ in try Launch("/bin/sh", ["-c", "while :; do :; done"]).start() }
        defer {
            for (process, output) in busy {
                kill(process, SIGKILL)
                waitpid(process, nil, 0)
                close(output)
            }
        }
        let played = try Self.play("./ring \"\(kind)\" \(nodes) \(Self.laps)")
        #expect(played.output == "0\n")
    }

    @Test func `Each wait of 200 threads ends exactly when it should`() throws {
        let played = try Self.play("./stress 200 4")
        #expect(played.output == "0 23\n")
        #expect(!played.hasCrept)
    }

    @Test(.enabled(if: canConfine, "this machine has no filters of system calls"))
    func `Waits need neither privileges nor futex_waitv`() throws {
        let waits = try Self.play("./confined ./waits 1")
        #expect(waits.output == "")
        #expect(waits.status == 0)
        for kind in ["condition with limit", "semaphore with limit"] {
            let played = try Self.play("./confined ./ring \"\(kind)\" THREADS 100", looksOnce: false)
            #expect(played.output == "0\n")
        }
        #expect(try Self.play("./confined ./stress 50 20").output.hasPrefix("0 "))
    }

    @Test func `While a client sleeps, time passes without a look at its threads`() throws {
        let played = try Self.play("/bin/sleep 60")
        #expect(played.status == 0)
        #expect(played.time >= .seconds(60))
        #expect(played.time < .seconds(61))
        #expect(played.looks < 10)  // in 2,900 beats of the loop
    }

    @Test func `A statically linked program is found and named`() throws {
        let stranger = try #require(try Self.play("./static").stranger)
        #expect(stranger.hasSuffix("/static, is statically linked: it cannot follow virtual time"))
    }
}
