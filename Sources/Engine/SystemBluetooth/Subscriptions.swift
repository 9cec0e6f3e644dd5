import ATT
import Bluetooth
import GATT

/// The values of one peripheral that programs, and the service itself, have subscribed to.
struct Subscriptions: Sendable {
    /// The programs that a value is sent to.
    struct Entry: Sendable {
        let value: UInt16
        var programs: [ProgramID] = []
        /// Whether the service itself has subscribed.
        var isOwn = false
        var configuration: ClientConfiguration

        var isUnused: Bool { programs.isEmpty && !isOwn }
    }

    private(set) var entries: [Entry] = []
    /// Whether the service's own subscription is configured apart from those of programs.
    private let separatesOwn: Bool

    init(separatesOwn: Bool) { self.separatesOwn = separatesOwn }

    /// The entry of a value.
    subscript(value: UInt16) -> Entry? { entries.first { $0.value == value } }

    /// Whether the service, or another program than this one, has subscribed to a value.
    func isUsed(_ value: UInt16, besides program: ProgramID?) -> Bool {
        guard let entry = self[value] else { return false }
        if separatesOwn { return program != nil && entry.programs.contains { $0 != program } }
        return entry.programs.contains { $0 != program } || entry.isOwn && program != nil
    }

    /// Whether a program, or the service itself, has subscribed.
    func contains(_ program: ProgramID?, _ value: UInt16) -> Bool {
        guard let entry = self[value] else { return false }
        return program.map { entry.programs.contains($0) } ?? entry.isOwn
    }

    /// Notes that a program, or the service itself, subscribes or does not any more.
    mutating func set(
        _ isOn: Bool, _ program: ProgramID?, _ value: UInt16, _ configuration: ClientConfiguration
    ) {
        let known = entries.firstIndex { $0.value == value }
        guard isOn || known != nil else { return }
        if known == nil { entries.append(Entry(value: value, configuration: configuration)) }
        let index = known ?? entries.count - 1
        if let program {
            entries[index].programs.removeAll { $0 == program }
            if isOn { entries[index].programs.append(program) }
        } else {
            entries[index].isOwn = isOn
        }
        removeUnused()
    }

    /// A program does not use the peripheral any more; returns the values that nobody uses then.
    mutating func leave(_ program: ProgramID) -> [UInt16] {
        let left = entries.filter { $0.programs == [program] && (separatesOwn || !$0.isOwn) }
        for index in entries.indices { entries[index].programs.removeAll { $0 == program } }
        let unused = left.map(\.value)
        removeUnused()
        return unused
    }

    /// The service itself does not use the peripheral any more.
    mutating func leave() {
        for index in entries.indices { entries[index].isOwn = false }
        removeUnused()
    }

    mutating func remove(in range: HandleRange) { entries.removeAll { range.contains($0.value) } }

    private mutating func removeUnused() { entries.removeAll { $0.isUnused } }
}
