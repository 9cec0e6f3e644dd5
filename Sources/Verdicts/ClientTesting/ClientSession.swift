import CommandSupport

/// The client under test in one case: a process, or an operator with an app.
protocol ClientSession: Actor {
    func start() async
    func end(_ signals: Signals) async -> ClientRecord
}
