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

extension Scenario {
    /// A scenario without devices and practically without limit, for external hosts only.
    package static let empty = Scenario(limit: .seconds(1 << 32))
}
