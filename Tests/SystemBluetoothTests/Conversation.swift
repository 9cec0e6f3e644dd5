import SystemBluetooth
import Testing

/// A row of the table: what programs do, and what the log has then with each system.
struct Conversation: CustomTestStringConvertible, Sendable {
    typealias Play = @Sendable (inout SystemHarness) throws -> Void

    let name: String
    let devices: TestDevices
    let iPhone: String
    /// With attributes that are kept, the default.
    let bluetoothd: String
    /// The same with attributes that are not kept.
    let uncached: String
    /// Why the systems differ; nil: they do not.
    let difference: String?
    let play: Play

    /// A row in which the systems are the same.
    init(_ name: String, _ devices: TestDevices = .strap, same: String, play: @escaping Play) {
        (self.name, self.devices, self.play) = (name, devices, play)
        (iPhone, bluetoothd, uncached, difference) = (same, same, same, nil)
    }

    /// A row in which they differ.
    init(
        _ name: String, _ devices: TestDevices = .strap, because difference: String, iPhone: String,
        bluetoothd: String, uncached: String? = nil, play: @escaping Play
    ) {
        (self.name, self.devices, self.play) = (name, devices, play)
        (self.iPhone, self.bluetoothd, self.uncached) = (iPhone, bluetoothd, uncached ?? bluetoothd)
        self.difference = difference
    }

    var testDescription: String { name }

    func log(with policy: HostPolicy) throws -> String {
        var harness = try SystemHarness(policy, devices)
        try play(&harness)
        return harness.log.joined(separator: "\n")
    }
}

/// The same conversations with each system.
@Suite struct ConversationTests {
    static let all: [Conversation] =
        Conversation.connections + Conversation.attributes + Conversation.losses + Conversation.scans
        + Conversation.pairings + Conversation.bonds + Conversation.peripherals

    @Test(arguments: all) func `An iPhone`(_ conversation: Conversation) throws {
        #expect(try conversation.log(with: .iPhone) == conversation.iPhone)
    }

    @Test(arguments: all) func `bluetoothd 5.66`(_ conversation: Conversation) throws {
        #expect(try conversation.log(with: .bluetoothd()) == conversation.bluetoothd)
    }

    @Test(arguments: all) func `bluetoothd 5.66 that keeps no attributes`(_ conversation: Conversation) throws {
        #expect(try conversation.log(with: .bluetoothd(cache: .none)) == conversation.uncached)
    }

    @Test(arguments: all) func `A row gives a reason if the systems differ, and none if they do not`(
        _ conversation: Conversation
    ) {
        #expect((conversation.iPhone == conversation.bluetoothd) == (conversation.difference == nil))
    }

    @Test func `With Cache=yes, bluetoothd keeps the attributes of bonded peripherals`() throws {
        for (conversations, isKept) in [(Conversation.bonds, true), (Conversation.losses, false)] {
            for conversation in conversations where conversation.bluetoothd != conversation.uncached {
                let log = try conversation.log(with: .bluetoothd(cache: .bonded))
                #expect(log == (isKept ? conversation.bluetoothd : conversation.uncached), "\(conversation.name)")
            }
        }
    }
}
