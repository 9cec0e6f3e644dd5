package import Basics
package import Drivers
package import Linux
package import ScenarioModel

/// The client under test in one case: a process, or an operator with an app.
package protocol ClientSession: LoopActor {
    func start() async
    func end(_ signals: Signals) async -> ClientRecord
}

/// A case whose client is an operator with an app.
package struct OperatorCase: Sendable {
    package let plan: RunPlan
    package let live: LiveWorld
    package let radio: RadioKind
    package let completion: RunCompletion
    /// Switches the devices on when the operator is ready.
    package let open: @Sendable () async throws -> Void
    /// Receives each answer as a line of the client.
    package let report: @Sendable (Instant, ClientLine) -> Void
}
