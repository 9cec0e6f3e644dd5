import Basics
import Bluetooth
import FoundationEssentials
import Glibc
import LEHost
import Linux
import ScenarioLanguage
import SecurityManager
import Synchronization
import Testing
import VirtualWorld

@testable import Drivers

/// When a file of bonds is written, and what happens if it cannot be.
@Suite(.serialized) final class BondWritingTests {
    /// A disk that can be full, and what was written to it.
    private final class Disk: Sendable {
        private let state = Mutex((isFull: false, attempts: 0, text: String?.none))

        var isFull: Bool {
            get { state.withLock(\.isFull) }
            set { state.withLock { $0.isFull = newValue } }
        }
        var attempts: Int { state.withLock(\.attempts) }
        var text: String? { state.withLock(\.text) }

        func write(_ text: String) -> OutputFailure? {
            state.withLock { state in
                state.attempts += 1
                if state.isFull { return OutputFailure(path: "bonds", code: ENOSPC) }
                state.text = text
                return nil
            }
        }
    }

    private static let device = DeviceAddress(0xC0FF_EE00_0001, .random)
    private static let bonds = (1...3).map { Bond(with: DeviceAddress($0, .public)) }

    private let path = FileManager.default.temporaryDirectory.appending(path: "bonds-\(UInt64.random(in: 0 ... .max))")
        .path
    private let disk = Disk()
    private let notices = Notes()

    private final class Notes: Sendable {
        private let texts = Mutex<[String]>([])

        /// Those about a full disk: other tests run at the same time.
        var count: Int { texts.withLock { $0.count { $0.contains("No space left on device") } } }

        func take(_ notice: Notice) {
            if case .warning(let text) = notice { texts.withLock { $0.append(text) } }
        }
    }

    init() { Notices.pass { [notices] in notices.take($0) } }

    deinit {
        unsafe unlink(path)
        Notices.pass { _ in }
    }

    private func file() throws(Obstacle) -> BondFile { try BondFile(path) { [disk] in disk.write($0) } }

    @Test func `A full disk is reported once, and the command fails`() throws {
        let file = try file()
        disk.isFull = true
        for count in 1...3 { file.save(Array(Self.bonds.prefix(count)), of: Self.device) }
        #expect(disk.attempts == 3, "each change tries again")
        #expect(notices.count == 1)
        #expect(try BondFile.finishing(file) { .success } == .environment)
        #expect(try BondFile.finishing(file) { .signal(SIGINT) } == .environment)
        #expect(throws: Obstacle.self) {
            try BondFile.finishing(file) { () throws(Obstacle) in throw Obstacle(.usage, "x") }
        }
        #expect(disk.attempts == 6, "and so does the end, however it comes")
        #expect(notices.count == 1)
        #expect(file.bonds(of: Self.device) == Self.bonds)
    }

    @Test func `As soon as the disk has space again, all is written`() throws {
        let file = try file()
        disk.isFull = true
        file.save(Array(Self.bonds.prefix(1)), of: Self.device)
        disk.isFull = false
        file.save(Self.bonds, of: Self.device)
        #expect(disk.text?.split(separator: "peer").count == 4)
        file.save(Self.bonds, of: Self.device)
        #expect(disk.attempts == 2, "what is written is not written again")
        disk.isFull = true
        file.save([], of: Self.device)
        #expect(notices.count == 2, "a disk that is full again is reported again")
        disk.isFull = false
        #expect(try BondFile.finishing(file) { .success } == .success)
        #expect(disk.text?.contains("peer") == false, "the end writes what remains")
        #expect(try BondFile.finishing(file) { .failure } == .failure)
        #expect(disk.attempts == 4)
    }

    /// Each file that is written replaces the whole one: with a file per device, the work would grow with the square of their number.
    @Test func `The bonds of many devices are written at once`() throws {
        let devices = (0..<200).map { #"{"id": "d\#($0)", "security": {"privacy": true}, "services": []}"# }
        let text = #"{"lubdub": 1, "name": "x", "devices": [\#(devices.joined(separator: ","))]}"#
        let reading = ScenarioFile.read("x.json") { _ in Array(text.utf8) }
        let scenario = try #require(reading.scenario, "\(reading.problems)")
        var world = try World(scenario, seed: 1)
        let keeper = BondKeeper(try file(), &world)
        keeper.save(world)
        #expect(disk.attempts == 0, "nothing has changed")
        for turn in 1...3 {
            world.memoryChanges += 1
            keeper.save(world)
            #expect(disk.attempts == 1, "turn \(turn)")
        }
        #expect(disk.text?.split(separator: "address").count == 201)
    }
}
