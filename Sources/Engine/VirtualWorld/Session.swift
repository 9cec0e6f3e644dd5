package import Basics

/// What acts in a world without being a part of it, such as the built-in client.
///
/// It takes from the world's outbox what is addressed to it, and leaves the rest. It is a value: a copy of a session has
/// a copy of it.
package protocol Participant: Sendable {
    /// When it acts by itself, if nothing happens before; `.never` if it only responds.
    var deadline: Instant { mutating get }

    /// Acts for the first time; the devices have started.
    mutating func begin(in world: inout World)

    /// Acts at its deadline.
    mutating func timePassed(in world: inout World)

    /// Handles the world's outputs, and acts, until it is idle.
    mutating func settle(in world: inout World)
}

/// A world and what is attached to it, in one time, which passes from instant to instant.
///
/// Whoever drives it decides when: as soon as possible, at the pace of a clock, or at that of a program.
package struct Session<Attached: Participant>: Sendable {
    package var world: World
    package var attached: Attached
    private var hasBegun = false

    /// A session that begins with `begin`; `attached` is known to the world already.
    package init(_ world: World, _ attached: Attached) { (self.world, self.attached) = (world, attached) }

    /// When the next instant is due; `.never` if nothing will happen.
    package var deadline: Instant { mutating get { min(world.nextDue ?? .never, attached.deadline) } }

    /// Starts the devices and what is attached, once.
    package mutating func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        world.start()
        attached.begin(in: &world)
    }

    /// Lets time pass to the next instant, if that is not after `limit`; false if there is none. Call `settle` then.
    package mutating func advance(until limit: Instant) -> Bool {
        let (due, wake) = (world.nextDue ?? .never, attached.deadline)
        guard min(due, wake) <= limit, min(due, wake) != .never else { return false }
        guard wake < due else { return world.runNext(until: limit) }
        world.run(until: wake)
        attached.timePassed(in: &world)
        return true
    }

    /// Lets the participant handle what has happened.
    package mutating func settle() { attached.settle(in: &world) }
}
