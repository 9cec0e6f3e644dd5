package import LEHost
package import Scenarios
package import Simulation

/// The central host of an `Examiner`, and the time in which it works.
///
/// A check is code without `async`, so the host lets time pass while the check waits for an output.
package protocol ExaminerHost: CentralHost {
    var now: Instant { get }

    /// Whether the host cannot be used any more.  Then no time passes, waits end at once, and results are not valid.
    var isOver: Bool { get }

    /// Starts a check: a host that is ready outputs `.started`, now or later.
    mutating func start()

    /// Lets time pass until there is an output; returns false at `limit` if there is none.
    mutating func play(until limit: Instant) -> Bool

    /// The longest time since `begin` during which this machine did not run the program.
    func stall(since begin: Instant) -> Duration

    /// The scenario of the peripheral, and its device there; nil if the peripheral cannot be controlled.
    var simulated: (scenario: Scenario, device: Int)? { get }

    /// Plays an action on the peripheral of `simulated`, for some time or forever; returns false if that is not possible.
    mutating func act(_ action: Action, for duration: Duration?) -> Bool
}
