import ATT
import Bluetooth
import GATT
import LEHost
import Simulation

// What a server tells of its own accord.  Core 6.0, Vol 3, Part F, sections 3.3.3 and 3.4.7, and Part G, sections 4.10
// and 4.11.
extension Check {
    static let telling = [
        told("GATT/SR/GAN/BV-01-C", .notify, "notified", "4.10.1"),
        told("GATT/SR/GAI/BV-01-C", .indicate, "indicated", "4.11.1"),
        Check(
            "gatt/one_indication_at_a_time", "an indication waits until the one before is confirmed",
            "Core 6.0, Vol 3, Part F, section 3.3.2"
        ) { peripheral throws(CheckExit) in
            let first = try peripheral.leaveUnconfirmed()
            let second = try peripheral.nextOfAny(within: .seconds(25))
            try peripheral.expect(
                second == nil, "no other indication before that of \(first.instant) s is confirmed",
                seen: second.map { "\($0.octets.hex) of \($0.handle.inHex) at \($0.instant) s" } ?? "")
        },
        Check(
            "GATT/SR/GAT/BV-01-C", "who is not confirmed for 30 s says nothing more on that link",
            "Core 6.0, Vol 3, Part F, section 3.3.3"
        ) { peripheral throws(CheckExit) in
            let first = try peripheral.leaveUnconfirmed()
            _ = peripheral.wait(atMost: .seconds(31)) { $0.connection == nil }
            guard peripheral.connection != nil else { return }
            peripheral.notices = []
            let name = try peripheral.nameHandle
            let answer = try peripheral.answer(to: PDU.readRequest(handle: name).octets, within: .seconds(10))
            try peripheral.expect(
                answer == nil && peripheral.notices.isEmpty,
                "nothing more, for the indication of \(first.instant) s was not confirmed within 30 s",
                seen: (answer ?? peripheral.notices.first?.octets ?? []).hex)
        },
    ]

    private static func told(
        _ id: String, _ property: CharacteristicProperties, _ word: String, _ section: String
    ) -> Check {
        Check(
            id, "what a client has asked for is \(word), and nothing else",
            "Core 6.0, Vol 3, Part G, section \(section)"
        ) { peripheral throws(CheckExit) in
            let values = try peripheral.subscribeToAll(property)
            try peripheral.expectTold(values, word)
        }
    }
}

extension Examiner {
    /// Subscribes to everything that has a property; skips the check where nothing has.
    fileprivate mutating func subscribeToAll(
        _ property: CharacteristicProperties
    ) throws(CheckExit) -> [DiscoveredCharacteristic] {
        let values = services.flatMap(\.characteristics).filter { $0.properties.contains(property) }
        guard !values.isEmpty else {
            throw .skipped("not claimed: no characteristic is declared with \(property.names)")
        }
        for value in values { try subscribe(property == .notify ? .notification : .indication, to: value) }
        return values
    }

    /// The first value that is told from now on, whichever; nil when none is.
    fileprivate mutating func nextOfAny(within duration: Duration) throws(CheckExit) -> Notice? {
        let first = notices.count
        _ = wait(atMost: duration) { $0.notices.count > first || $0.connection == nil }
        if notices.count > first { return notices[first] }
        guard connection != nil else { throw ended(during: "a wait for values") }
        return nil
    }

    /// Fails unless what comes belongs to one of these values, fits, and ends when nobody wants it any more.
    fileprivate mutating func expectTold(_ values: [DiscoveredCharacteristic], _ word: String) throws(CheckExit) {
        let handles = values.map(\.valueHandle)
        guard try nextOfAny(within: .seconds(30)) != nil else {
            throw .skipped("not claimed: nothing is \(word) within 30 s")
        }
        guard !wait(atMost: .seconds(10), until: { $0.connection == nil }) else {
            throw ended(during: "a wait for values")
        }
        for notice in notices {
            try expect(
                handles.contains(notice.handle), "only values that were subscribed to are \(word)",
                seen: "\(notice.octets.hex) of handle \(notice.handle.inHex)")
            try expect(
                notice.octets.count <= mtu - 3, "no more than \(mtu - 3) octets of a value", seen: notice.octets.hex)
        }
        try need(.unwantedValues)
        for value in values { try subscribe([], to: value) }
        wait(.seconds(1))  // what was under way
        let late = try nextOfAny(within: .seconds(10))
        try expect(
            late == nil, "nothing is \(word) once nobody wants it",
            seen: late.map { "\($0.octets.hex) of handle \($0.handle.inHex)" } ?? "")
    }

    /// Subscribes to all that can be indicated, and confirms nothing: the first that comes; skips the check where none does.
    mutating func leaveUnconfirmed() throws(CheckExit) -> Notice {
        try need(.unconfirmedIndications)
        command(.confirmIndications(false))
        _ = try subscribeToAll(.indicate)
        guard let first = try nextOfAny(within: .seconds(30)) else {
            throw .skipped("not claimed: nothing is indicated within 30 s")
        }
        return first
    }
}
