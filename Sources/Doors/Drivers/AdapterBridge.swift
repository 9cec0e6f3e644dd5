package import Basics
import HCI
package import Linux
package import Sockets

/// An adapter of this machine as an H4 stream for hosts, one at a time.
///
/// Only the bridge needs the right to take the adapter: its hosts connect to a socket.
package actor AdapterBridge: LoopActor {
    /// A message about the hosts.
    package enum Notice: Hashable, Sendable, CustomStringConvertible {
        /// The host with this number uses the adapter from now on.
        case connected(Int)
        /// The host has left.
        case disconnected(Int)
        /// The bridge has disconnected a host, for this reason.
        case refused(Int, String)

        /// For people: `host 1 connected`.
        package var description: String {
            switch self {
            case .connected(let host): "host \(host) connected"
            case .disconnected(let host): "host \(host) disconnected"
            case .refused(let host, let reason): "host \(host) was disconnected: \(reason)"
            }
        }
    }

    /// The number of octets that may wait until the kernel takes them, in addition to those in its own queue: more than
    /// those of a host that respects the controller's buffers.
    private static let queueLimit = 1 << 13

    package nonisolated let loop: EventLoop
    private let address: ControllerAddress
    private let completion: RunCompletion
    private let report: @Sendable (Notice) -> Void
    private var turns = HostTurns()
    private var outbox: [HostTurns.Output] = []
    private var controller: H4Transport?
    private var listener: StreamListener?
    private var hosts: [Int: H4Transport] = [:]  // by number
    private var arrivals = 0
    private var wake: EventLoop.ScheduledCall?

    /// A bridge to an adapter, or to another controller.  It finishes `completion` when the adapter fails, and passes
    /// messages to `report`.
    package init(
        to address: ControllerAddress, on loop: EventLoop, _ completion: RunCompletion,
        report: @escaping @Sendable (Notice) -> Void
    ) {
        (self.address, self.loop, self.completion, self.report) = (address, loop, completion, report)
    }

    /// Listens for hosts, which wait until `start`.  Returns the address, with the actual port.
    package func listen(at address: StreamAddress) throws(SocketFailure) -> StreamAddress {
        let listener = try StreamListener(at: address, on: loop) { [weak self] connection in
            guard let self else { return connection.close() }
            self.assumeIsolated { $0.arrived(connection) }
        }
        self.listener = listener
        return listener.address
    }

    /// Takes the adapter.
    package func start() throws(Obstacle) {
        let controller = try H4Transport(above: address, on: loop, framer: Self.framer)
        self.controller = controller
        controller.start { event in self.assumeIsolated { $0.controller(event) } }
    }

    /// Disconnects the host, and gives the adapter back.
    package func close() {
        listener?.close()
        wake?.cancel()
        for host in hosts.values { host.close() }
        hosts = [:]
        controller?.close()
    }

    private static var framer: H4Framer { H4Framer(limit: HostTurns.maximumLength) }

    private func step(_ input: HostTurns.Input) {
        turns.step(input, at: loop.now, into: &outbox)
        let outputs = outbox
        outbox.removeAll(keepingCapacity: true)
        for output in outputs { handle(output) }
    }

    private func handle(_ output: HostTurns.Output) {
        switch output {
        case .serve(let number):
            report(.connected(number))
            hosts[number]?.start { event in self.assumeIsolated { $0.host(number, event) } }
        case .disconnect(let number, let reason): disconnect(number, "\(reason)")
        case .toHost(let number, let packet): hosts[number]?.send(packet.kind, packet.octets)
        case .toController(let packet): controller?.send(packet.kind, packet.octets)
        case .wake(let due):
            wake?.cancel()
            wake = loop.call(at: due) { self.assumeIsolated { $0.step(.timePassed) } }
        case .failed(let failure): completion.finish(.failure(ControllerTrouble.message(failure, address)))
        }
    }

    private func disconnect(_ number: Int, _ reason: String) {
        hosts.removeValue(forKey: number)?.close()
        report(.refused(number, reason))
    }

    private func controller(_ event: H4Transport.Event) {
        switch event {
        case .opened: step(.opened)
        case .received(let packets): for packet in packets { step(.fromController(packet)) }
        case .failed(let failure): completion.finish(.failure(ControllerTrouble.message(failure, address)))
        }
    }

    private func arrived(_ connection: StreamConnection) {
        arrivals += 1
        hosts[arrivals] = H4Transport(connection, framer: Self.framer)
        step(.arrived(arrivals))
    }

    private func host(_ number: Int, _ event: H4Transport.Event) {
        guard hosts[number] != nil else { return }
        switch event {
        case .opened: break
        case .received(let packets): for packet in packets { receive(packet, from: number) }
        case .failed(let failure):
            if failure.isHangUp {
                hosts[number] = nil
                report(.disconnected(number))
            } else {
                disconnect(number, "\(failure)")
            }
            step(.left(number))
        }
    }

    private func receive(_ packet: H4Framer.Framed, from number: Int) {
        step(.fromHost(number, packet))
        guard turns.isServing(number), (controller?.queued ?? 0) > Self.queueLimit else { return }
        disconnect(number, "it sends more than the adapter takes (a host waits until the controller has free buffers)")
        step(.left(number))
    }
}
