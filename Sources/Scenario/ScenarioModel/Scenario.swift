/// A scenario with resolved includes, variables and names.
package struct Scenario: Hashable, Sendable {
    package var name = ""
    /// A remark for people.
    package var note: String?
    /// Labels to select it by.
    package var tags: [String] = []
    package var seed: UInt64 = 1
    /// The sensors' wall-clock time at the start.
    package var begins = WallTime(secondsSince2000: 0)
    package var limit: Duration
    /// The index of the device that the client should connect to; nil if the file does not name one.
    package var target: Int?
    /// The devices, in the file's order.
    package var devices: [Device] = []
    /// The rules, in the file's order, which is also their order at one instant.
    package var script: [Rule] = []
    /// The expectations, in the file's order.
    package var expectations: [Expectation] = []

    package init(limit: Duration) { self.limit = limit }
}

/// A local date and time.
package struct WallTime: Hashable, Sendable {
    /// Seconds since 2000-01-01T00:00:00 local time; negative before.
    package var secondsSince2000: Int64
    package var minutesAheadOfUTC: Int

    /// A time in seconds since 2000-01-01T00:00:00 local time.
    package init(secondsSince2000: Int64, minutesAheadOfUTC: Int = 0) {
        (self.secondsSince2000, self.minutesAheadOfUTC) = (secondsSince2000, minutesAheadOfUTC)
    }
}

extension Scenario {
    /// A scenario without devices and practically without limit, for external hosts only.
    package static let empty = Scenario(limit: .seconds(1 << 32))
}
