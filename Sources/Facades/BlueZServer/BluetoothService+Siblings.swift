package import Basics
import BlueZNames
import DBus
package import SystemBluetooth

// Further adapters: each has its own service and `SystemHost`. The service of the first one has the connection to the bus: it passes
// calls to the others, and they learn from it of agents and of programs that leave.
extension BluetoothService {
    /// Adds an adapter, whose objects are announced.
    ///
    /// - Parameters:
    ///   - adapter: The adapter, with another number than all others.
    ///   - attach: As in `open`.
    package func add(
        _ adapter: Adapter,
        attach: @Sendable (@escaping @Sendable (ProgramID, ProgramEvent, Instant) -> Void) async -> Requesting
    ) async {
        let service = BluetoothService(adapter, over: connection, of: bus, on: loop, whenUsed: whenUsed, take: take)
        adopt(service, await service.attached(by: attach))
    }

    private func adopt(_ sibling: BluetoothService, _ requesting: @escaping Requesting) {
        sibling.assumeIsolated { sibling in
            sibling.begin(requesting)
            sibling.addAdapterObject()
            sibling.flush()
        }
        siblings.append(sibling)
        objects.neighbours.append(sibling.adapter.path)
    }

    /// Whether this is the service that has the connection.
    var isFirst: Bool { adapter.number == 0 }

    /// The service of the adapter at a path, or above it, if it is another one's.
    func sibling(at path: ObjectPath) -> BluetoothService? {
        siblings.first { path.isWithin($0.adapter.path) }
    }

    /// The objects of all adapters; the newest comes first.
    var managedObjects: [Value] {
        guard case .dictionary(let key, let value, let own) = objects.managedObjects else { return [] }
        let others = siblings.reversed().flatMap { sibling in
            sibling.assumeIsolated { $0.objects.managedObjects.entries ?? [] }
        }
        return [.dictionary(key: key, value: value, own.prefix(1) + others + own.dropFirst())]
    }

    /// The others come back to the bus with the first.
    func bringBackSiblings() {
        for sibling in siblings {
            sibling.assumeIsolated { [connection] sibling in
                sibling.connection = connection
                sibling.troubles.absences = []
                sibling.addAdapter()
                sibling.updateOtherScan()
            }
        }
        objects.neighbours = siblings.map(\.adapter.path)
    }
}
