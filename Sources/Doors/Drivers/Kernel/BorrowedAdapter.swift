package import Basics
import Glibc
package import Sockets

/// An adapter of this machine, without the kernel's host and bluetoothd: its HCI packets, over the kernel's user channel.
///
/// While the channel is open, the kernel removes the adapter from bluetoothd. When the channel is closed, by `close` or
/// because this process has ended, bluetoothd has the adapter again, and an ``AdapterKeeper`` restores its power.
package final class BorrowedAdapter: OctetStream {
    /// Room for the events that arrive while this process is busy.
    private static let receiveBuffer: Int32 = 1 << 20

    private let channel: PacketDescriptor
    private let keeper: AdapterKeeper

    /// Takes the adapter; throws if the kernel refuses, or programs are connected to devices through it.
    package init(_ adapter: UInt16, on loop: EventLoop) throws(Obstacle) {
        do throws(AdapterFailure) {
            let state = try Self.switchOff(adapter)
            let socket = try Self.open(adapter, after: state)
            socket.setReceiveBuffer(Self.receiveBuffer)
            channel = PacketDescriptor(socket.release(), on: loop)
            do throws(AdapterFailure) { keeper = try AdapterKeeper(adapter, wasOn: state == .on) } catch {
                channel.close()
                if state == .on { try? AdapterKeeper.restore(adapter, isOn: true) }
                throw error
            }
        } catch { throw error.message(about: adapter) }
    }

    package func start(_ handler: @escaping StreamConnection.Handler) { channel.start(handler) }

    package func send(_ packet: [UInt8]) { channel.send(packet) }

    package var queued: Int { channel.queued }

    /// Gives the adapter back, and waits until it is as it was.
    package func close() {
        channel.close()
        keeper.restore()
    }

    /// The state of an adapter before it is taken.
    private enum State { case on, off, unlisted }

    private static func switchOff(_ adapter: UInt16) throws(AdapterFailure) -> State {
        let management = try ManagementChannel()
        guard try management.adapters().contains(adapter) else { return .unlisted }
        let information = try management.information(about: adapter)
        guard information.supportsLowEnergy else { throw .noLowEnergy }
        let connections = try management.connections(of: adapter)
        guard connections == 0 else { throw .connected(connections) }
        if information.isPowered { try management.setPower(of: adapter, isOn: false) }
        return information.isPowered ? .on : .off
    }

    private static func open(_ adapter: UInt16, after state: State) throws(AdapterFailure) -> HCISocket {
        do throws(HCISocket.Refused) { return try HCISocket(.user(adapter: adapter)) } catch {
            if state == .on { try? ManagementChannel().setPower(of: adapter, isOn: true) }
            // The kernel does not list an adapter that another program has to itself, or that it could not set up.
            guard state == .unlisted, error.code == EBUSY else { throw .system(code: error.code) }
            throw AdapterState(of: adapter)?.use == .notSetUp ? .notSetUp : .system(code: EUSERS)
        }
    }
}
