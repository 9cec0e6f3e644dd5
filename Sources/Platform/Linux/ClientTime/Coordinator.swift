import Basics
import CClientTime
import Glibc

/// The coordinator of `CClientTime`, closed on deinitialization. All pointers of virtual time stay in this file.
@safe struct Coordinator: ~Copyable {
    private let raw: OpaquePointer
    private var isAsleep = false
    private var stimuli = 0
    private var seen = 0  // the stimuli when all last slept
    private var now = Instant.start
    private var turns: ChargedTurns?

    /// Why sleeping processes cannot be recognized on this machine; nil if they can.
    static var obstacle: String? {
        unsafe client_time_obstacle().map { why in unsafe String(cString: why) }
    }

    /// Nil, with `errno` set, if the file of the processes cannot be made.
    init?(path: String, seed: UInt64, realtime: Int64) {
        guard let opened = unsafe client_time_open(path, seed, realtime) else { return nil }
        unsafe raw = opened
    }

    deinit { unsafe client_time_close(raw) }

    mutating func follow(_ supervisor: Int32) {
        unsafe client_time_follow(raw, supervisor)
        noteStimulus()
    }

    mutating func noteStimulus() { stimuli += 1 }

    mutating func wait(atMost milliseconds: CInt) -> FollowerActivity {
        if isAsleep, seen == stimuli { return .asleep }
        seen = stimuli
        let activity = unsafe client_time_wait(raw, milliseconds)
        isAsleep = activity == CLIENT_TIME_SLEEPS
        if isAsleep { chargeTurn() }
        return isAsleep ? .asleep : activity == CLIENT_TIME_COMPUTES ? .computing : .running
    }

    var nextDeadline: Instant {
        let deadline = unsafe client_time_next(raw)
        return deadline == .max ? .never : Instant(nanoseconds: max(0, deadline - 1))
    }

    mutating func set(_ now: Instant) {
        self.now = now
        unsafe client_time_set(raw, now.nanoseconds + 1)
    }

    /// From now on, each turn takes time.
    mutating func charge(_ turns: ChargedTurns) {
        self.turns = turns
        unsafe client_time_charge_turns(raw)
    }

    /// Until when the last turn lasts.
    var busyUntil: Instant { turns?.end ?? .start }

    private mutating func chargeTurn() {
        guard turns?.take(unsafe client_time_turns(raw), at: now) == true else { return }
        unsafe client_time_be_busy(raw, busyUntil.nanoseconds + 1)
    }

    mutating func wakeFirst() {
        if unsafe client_time_wake(raw) { isAsleep = false }
    }

    func hurry() { unsafe client_time_hurry(raw) }

    func lookSlowly(_ microseconds: Int32, _ once: Bool) { unsafe client_time_look_slowly(raw, microseconds, once) }

    var counts: client_time_counts { unsafe client_time_counts(raw) }

    var stranger: String? {
        var text = [CChar](repeating: 0, count: 1024)
        return unsafe client_time_stranger(raw, &text, text.count) ? Self.string(text) : nil
    }

    var neighbour: String? {
        var text = [CChar](repeating: 0, count: 1024)
        return unsafe client_time_neighbour(raw, &text, text.count) ? Self.string(text) : nil
    }

    private static func string(_ text: [CChar]) -> String {
        String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
