import Basics
import Bluetooth
import FoundationEssentials
import GATT
import Glibc
import LEHost
import Linux
import SecurityManager
import Testing

@testable import Drivers

/// Files of bonds, and those that are none.
@Suite struct BondFileTests {
    private static let device = DeviceAddress(0xC0FF_EE00_0001, .random)
    private static let peers = [DeviceAddress(0xF0F1_F2F3_F401, .random), DeviceAddress(0x0011_2233_4455, .public)]

    /// The path of a file with this text, or of none, for as long as `body` runs.
    private static func withPath<Result>(_ text: String? = nil, _ body: (String) throws -> Result) throws -> Result {
        let path = FileManager.default.temporaryDirectory.appending(path: "bonds-\(UInt64.random(in: 0 ... .max))").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        if let text { try Data(text.utf8).write(to: URL(filePath: path)) }
        return try body(path)
    }

    private static let memory: HostMemory = {
        var (secure, legacy) = (Bond(with: peers[0]), Bond(with: peers[1]))
        secure.keyAsPeripheral = LongTermKey(0x1234, isAuthenticated: true, isSecureConnections: true)
        (secure.peerResolvingKey, secure.peerSigningKey, secure.signingKey) = (7, 8, 9)
        legacy.keyAsPeripheral = LongTermKey(0xFF, ediv: 0xABCD, rand: 0x1122_3344_5566_7788, size: 7)
        legacy.keyAsCentral = LongTermKey(UInt128.max)
        let client = BondedClient.Record(
            [0x11: .notification, 8: .indication], features: 5, isChangeAware: false, databaseHash: Array(0..<16))
        return HostMemory(resolvingKey: 0xAB, bonds: [secure, legacy], clients: [peers[1]: client])
    }()

    @Test func `A file has all that was saved`() throws {
        try Self.withPath { path in
            do {
                let file = try BondFile(path)
                #expect(file.address == nil)
                file.save([Bond(with: Self.peers[0])], of: Self.peers[1])
                file.save([(Self.device, Self.memory)])
            }
            let again = try BondFile(path)
            #expect(again.address == Self.peers[1])
            #expect(again.bonds(of: Self.peers[1]) == [Bond(with: Self.peers[0])])
            #expect(again.memory(of: Self.device) == Self.memory)
            #expect(again.memory(of: Self.peers[0]) == nil)
        }
    }

    @Test func `A line is a file, too`() throws {
        let line = BondFile.line(Self.memory.bonds, of: Self.device)
        #expect(!line.contains("\n"))
        let bonds = try Self.withPath(line) { path in try BondFile(path).bonds(of: Self.device) }
        #expect(bonds == Self.memory.bonds)
    }

    @Test func `A file without the later members is still read`() throws {
        let text = """
            {"lubdub_bonds": 1, "devices": [{"address": "C0:FF:EE:00:00:01/random", "bonds": [
              {"peer": "F0:F1:F2:F3:F4:01/random", "client": {"database_hash": "000102030405060708090A0B0C0D0E0F"}}]}]}
            """
        try Self.withPath(text) { path in
            let memory = try #require(try BondFile(path).memory(of: Self.device))
            #expect(memory.resolvingKey == 0)
            let client = BondedClient.Record(
                [:], features: 0, isChangeAware: true, databaseHash: (0..<16).reversed().map { UInt8($0) })
            #expect(memory.clients == [Self.peers[0]: client])
        }
    }

    @Test(arguments: [
        ("[]", "LD0108"), ("{", "LD0102"),
        (#"{"lubdub_bonds": 2, "devices": []}"#, "lubdub_bonds"),
        (#"{"lubdub_bonds": 1}"#, "devices"),
        (#"{"lubdub_bonds": 1, "devices": [{"address": "here", "bonds": []}]}"#, "devices[0].address"),
        (
            #"{"lubdub_bonds": 1, "devices": [{"address": "C0:FF:EE:00:00:01", "irk": "1", "bonds": []}]}"#,
            "devices[0].irk"
        ),
        (client(#"{"configurations": []}"#), "devices[0].bonds[0].client"),
        (client(#"{"database_hash": "1"}"#), "client.database_hash"),
        (client(#"{"database_hash": "\#(hash)", "features": 8}"#), "client.features"),
        (client(#"{"database_hash": "\#(hash)", "change_aware": 1}"#), "client.change_aware"),
        (
            client(#"{"database_hash": "\#(hash)", "configurations": [{"handle": 0, "value": 1}]}"#),
            "configurations[0].handle"
        ),
        (
            client(#"{"database_hash": "\#(hash)", "configurations": [{"handle": 1, "value": 4}]}"#),
            "configurations[0].value"
        ),
        (client(#"{"database_hash": "\#(hash)", "configurations": [{"handle": 1}]}"#), "configurations[0]"),
    ])
    func `A file that is none is refused, with the place`(text: String, place: String) throws {
        try Self.withPath(text) { path in
            let failure = #expect(throws: Obstacle.self) { try BondFile(path) }
            #expect("\(failure.map { "\($0)" } ?? "")".contains(place), "\(failure.map { "\($0)" } ?? "")")
        }
    }

    /// Each would replace the file with the bonds that it knows.
    @Test func `A file has one user, also while it is missing or a link leads to it`() throws {
        try Self.withPath { path in
            let link = "\(path).link"
            defer { unsafe unlink(link) }
            unsafe symlink(path, link)
            do {
                let file = try BondFile(path)
                for name in [path, link] {
                    let failure = #expect(throws: Obstacle.self) { try BondFile(name) }
                    #expect(failure?.code == .environment)
                    #expect(failure?.description.contains("is used by process \(getpid())") == true)
                    file.save([Bond(with: Self.peers[0])], of: Self.device)
                }
            }
            #expect(try BondFile(link).bonds(of: Self.device).count == 1)
            #expect(!exists("\(path).lock"))
        }
    }

    @Test func `Another name of the file is not used at the same time`() throws {
        try Self.withPath(BondFile.line(Self.memory.bonds, of: Self.device)) { path in
            let other = "\(path).other"
            defer { unsafe unlink(other) }
            unsafe link(path, other)
            let file = try BondFile(path)
            for _ in 0..<2 {
                let failure = #expect(throws: Obstacle.self) { try BondFile(other) }
                #expect(failure?.description.contains("is used by another process") == true)
                file.save([Bond(with: Self.peers[0])], of: Self.device)  // the other name keeps the old file
            }
        }
    }

    @Test func `An empty path, and the path of a folder, are refused at once`() throws {
        for path in ["", "/tmp", "/tmp/"] {
            let failure = #expect(throws: Obstacle.self, "\(path)") { try BondFile(path) }
            #expect(failure?.code == .environment, "\(path)")
        }
        try Self.withPath { path in
            _ = #expect(throws: Obstacle.self) { try BondFile("\(path)/") }
        }
    }

    @Test func `The file of another program that has the name of the lock stays`() throws {
        try Self.withPath { path in
            defer { unsafe unlink("\(path).lock") }
            try Data("a diary".utf8).write(to: URL(filePath: "\(path).lock"))
            let failure = #expect(throws: Obstacle.self) { try BondFile(path) }
            #expect(failure?.description.contains("\(path).lock") == true)
            #expect(try Data(contentsOf: URL(filePath: "\(path).lock")) == Data("a diary".utf8))
        }
    }

    @Test func `Keys may have small letters`() throws {
        let large = BondFile.line(Self.memory.bonds, of: Self.device)
        let small = large.replacing(/"[0-9A-F]{16,32}"/) { $0.output.lowercased() }
        #expect(small != large)
        let bonds = try Self.withPath(small) { path in try BondFile(path).bonds(of: Self.device) }
        #expect(bonds == Self.memory.bonds)
    }

    private static let hash = String(repeating: "0", count: 32)

    private static func client(_ text: String) -> String {
        #"{"lubdub_bonds": 1, "devices": [{"address": "C0:FF:EE:00:00:01", "bonds": [{"peer": "C0:FF:EE:00:00:02", "client": \#(text)}]}]}"#
    }
}
