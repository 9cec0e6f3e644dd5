import Devices
import ScenarioModel
import Testing
import VirtualWorld

@testable import Screens

@Suite struct KeyControlTests {
    private typealias Command = KeyControl.Command

    private static let heartRate = EntityReference.value(device: 0, service: 0, value: 0)
    private static let contact = EntityReference.value(device: 0, service: 0, value: 1)
    private static let battery = EntityReference.value(device: 0, service: 1, value: 0)
    private static let otherRate = EntityReference.value(device: 1, service: 0, value: 0)

    private static func strap(bpm: Int? = 62, isTouching: Bool = true, lasting: Set<String> = []) -> KeyControl.Target {
        .init(
            device: .device(0), heartRate: heartRate, contact: contact, battery: battery, bpm: bpm,
            isTouching: isTouching, lasting: lasting)
    }

    private static func bare(lasting: Set<String> = []) -> KeyControl.Target {
        .init(device: .device(1), heartRate: otherRate, bpm: 122, lasting: lasting)
    }

    private static func set(_ entity: EntityReference, _ number: Double, _ name: String) -> Command {
        .act(Action(.set(to: .curve(.constant(number))), of: entity), as: name)
    }

    private static let table: [(key: Key, target: KeyControl.Target, commands: [Command])] = [
        (.up, strap(), [set(heartRate, 63, "key up")]), (.down, strap(), [set(heartRate, 61, "key down")]),
        (.shiftUp, strap(), [set(heartRate, 72, "key shift_up")]),
        (.shiftDown, strap(), [set(heartRate, 52, "key shift_down")]),
        (.shiftDown, strap(bpm: 4), [set(heartRate, 0, "key shift_down")]), (.down, strap(bpm: 0), []),
        (.shiftUp, strap(bpm: 65530), [set(heartRate, 65535, "key shift_up")]), (.up, strap(bpm: 65535), []),
        (.up, strap(bpm: nil), [.say("no selected device has a heart rate now")]),
        (.character("c"), strap(), [set(contact, 0, "key c")]),
        (.character("c"), strap(isTouching: false), [set(contact, 1, "key c")]),
        (.character("c"), strap(isTouching: false, lasting: ["key c"]), [.giveBack(contact, of: "key c")]),
        (.character("c"), bare(), [.say("no selected device reports skin contact")]),
        (.character("b"), strap(), [set(battery, 5, "key b")]),
        (.character("b"), strap(lasting: ["key b", "key c"]), [.giveBack(battery, of: "key b")]),
        (.character("b"), bare(), [.say("no selected device has a battery")]),
        (.character("s"), strap(), [.act(Action(.silence, of: .device(0)), as: "key s")]),
        (.character("s"), strap(lasting: ["key s"]), [.giveBack(.device(0), of: "key s")]),
        (.character("o"), strap(), [.act(Action(.linkLoss, of: .device(0)), as: "key o")]),
        (.character("o"), strap(lasting: ["key o", "key s"]), [.giveBack(.device(0), of: "key o")]),
        (.character("d"), strap(), [.act(Action(.disconnect(reason: nil), of: .device(0)), as: "key d")]),
        (.character("?"), strap(), [.help]), (.character("q"), strap(), [.quit]),
        (.character("x"), strap(), []), (.character("C"), strap(), []), (.character(" "), strap(), []),
    ]

    @Test(arguments: table.indices) func `The effect of each key`(index: Int) {
        let (key, target, commands) = Self.table[index]
        var control = KeyControl()
        #expect(control.press(key, [target]) == commands)
        #expect(control.chosen == nil)
    }

    @Test func `Keys act on all devices, or on the one that was chosen`() {
        var control = KeyControl()
        let both = [Self.strap(), Self.bare()]
        let (first, second) = (Self.set(Self.heartRate, 63, "key up"), Self.set(Self.otherRate, 123, "key up"))
        #expect(control.press(.up, both) == [first, second])
        #expect(control.press(.character("2"), both) == [])
        #expect(control.chosen == 1)
        #expect(control.press(.up, both) == [second])
        #expect(control.press(.character("3"), both) == [.say("there is no device 3: the scenario has 2")])
        #expect(control.chosen == 1)
        #expect(control.press(.character("0"), both) == [])
        #expect(control.press(.up, both) == [first, second])
    }

    @Test func `A toggle of all devices takes those that are left, and gives back when there are none`() {
        var control = KeyControl()
        let silent = Set(["key s"])
        #expect(
            control.press(.character("s"), [Self.strap(), Self.bare(lasting: silent)]) == [
                .act(Action(.silence, of: .device(0)), as: "key s")
            ])
        #expect(
            control.press(.character("s"), [Self.strap(lasting: silent), Self.bare(lasting: silent)]) == [
                .giveBack(.device(0), of: "key s"), .giveBack(.device(1), of: "key s"),
            ])
        #expect(control.press(.character("c"), [Self.strap(), Self.bare()]).count == 1)
    }

    @Test func `Without devices every key has an answer`() {
        var control = KeyControl()
        for key in [Key.up, .shiftDown] + "cbso1".map(Key.character) {
            guard case .say = control.press(key, []).first else {
                Issue.record("\(key)")
                continue
            }
        }
        #expect(control.press(.character("d"), []) == [])
    }

    @Test func `Every key of the list does something, and no key is listed twice`() {
        var keys: Set<Key> = []
        for binding in KeyBinding.all {
            #expect(!binding.effects.isEmpty)
            for key in binding.effects.keys {
                #expect(keys.insert(key).inserted, "\(key)")
                var control = KeyControl()
                let before = control.press(.character("1"), Array(repeating: Self.strap(), count: 9))
                #expect(before.isEmpty)
                let commands = control.press(key, Array(repeating: Self.strap(), count: 9))
                #expect(!commands.isEmpty || "0123456789".contains { key == .character($0) }, "\(key)")
            }
        }
        #expect(keys.count == 21)
    }

    @Test func `Help has a line for each row of the table`() {
        #expect(KeyControl.help.first == "up, down              raise or lower the heart rate by 1 bpm")
        #expect(KeyControl.help.count == KeyBinding.all.count)
    }
}
