// As with Apple's framework, a file that imports CoreBluetooth has the names of Foundation and Dispatch.
@_exported public import Dispatch
@_exported public import Foundation

/// The name on Apple's platforms for a queue that runs one work at a time, which is the default of `DispatchQueue`.
public typealias DispatchSerialQueue = DispatchQueue

/// A serial queue can be the executor of an actor, as on Apple's platforms.
extension DispatchQueue: @retroactive SerialExecutor {
    /// Runs a job of an actor on the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Traps unless the caller runs on the queue.
    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(self)) }
}
