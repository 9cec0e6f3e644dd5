import Basics
import Bluetooth
import HCI
import LEHost

/// The advertisements of all programs.  A host sends one at a time: several take turns.
struct AdvertisingSets: Sendable {
    private struct Item: Sendable {
        let program: ProgramID
        let id: UInt32
        let content: LocalAdvertisement
        let layout: AdvertisingLayout
        /// Whether the program has received the result.
        var isReported = false
    }

    private let policy: AdvertisingPolicy
    private var items: [Item] = []
    /// The one that is sent.
    private var current = 0
    /// When the next one is.
    private(set) var due = Instant.never

    init(_ policy: AdvertisingPolicy) { self.policy = policy }

    var isEmpty: Bool { items.isEmpty }

    /// What the host must do to send the present advertisement; nil: there is none.
    var command: Host.Command? {
        guard items.indices.contains(current) else { return nil }
        let item = items[current]
        var parameters = AdvertisingParameters(minimumInterval: policy.interval, maximumInterval: policy.interval)
        if !item.content.isConnectable {
            parameters.kind = item.layout.scanResponse.isEmpty ? .nonConnectable : .scannable
        }
        return .advertise(parameters, data: item.layout.data, scanResponse: item.layout.scanResponse)
    }

    /// Adds a program's advertisement, which is sent next; returns why it cannot be.
    mutating func add(
        _ content: LocalAdvertisement, _ id: UInt32, of program: ProgramID, at now: Instant
    ) -> PeripheralFailure? {
        guard items.count < policy.sets, !items.contains(where: { $0.program == program && $0.id == id }) else {
            return .alreadyAdvertising
        }
        do throws(AdvertisingData.Overflow) {
            let layout = try AdvertisingLayout(content, policy.rules)
            items.append(Item(program: program, id: id, content: content, layout: layout))
        } catch { return .outOfSpace }
        begin(items.count - 1, at: now)
        return nil
    }

    /// Removes a program's advertisements, one or all; returns whether the one that is sent was among them.
    mutating func remove(_ id: UInt32?, of program: ProgramID, at now: Instant) -> Bool {
        func isMeant(_ item: Item) -> Bool { item.program == program && (id == nil || item.id == id) }
        let isCurrent = items.indices.contains(current) && isMeant(items[current])
        let before = items.prefix(current).filter(isMeant).count
        items.removeAll(where: isMeant)
        begin(isCurrent ? 0 : current - before, at: now)
        return isCurrent
    }

    /// The turn of the next advertisement has come; false if there is none.
    mutating func advance(at now: Instant) -> Bool {
        guard due <= now else { return false }
        begin((current + 1) % max(1, items.count), at: now)
        return items.count > 1
    }

    private mutating func begin(_ index: Int, at now: Instant) {
        current = index
        due = items.count > 1 ? now.advanced(by: policy.turn) : .never
    }

    /// Whether the present advertisement is sent, or why not; returns the program that learns it, with its number.  One that is
    /// not sent is removed.
    mutating func report(_ failure: PeripheralFailure?) -> (program: ProgramID, id: UInt32)? {
        guard items.indices.contains(current), !items[current].isReported else { return nil }
        items[current].isReported = true
        let item = failure == nil ? items[current] : items.remove(at: current)
        if failure != nil { current = 0 }
        return (item.program, item.id)
    }
}
