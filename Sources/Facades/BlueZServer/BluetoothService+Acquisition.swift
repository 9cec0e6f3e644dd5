import Basics
import BlueZNames
import Bluetooth
import DBus
import GATT
import Glibc
import SystemBluetooth

/// The sockets of AcquireNotify and AcquireWrite: src/gatt-client.c. A socket ends with its program, its other side, the link
/// or the object.
struct Acquisitions: Sendable {
    /// A characteristic whose values a program exchanges over a socket.
    struct Acquired: Sendable {
        let program: ProgramID
        let peer: DeviceAddress
        let place: AttributePlace
        /// Nil: it will be there when the peripheral has accepted the subscription.
        var socket: AcquiredSocket?
        /// The writes that have not ended.
        var writes = 0
    }

    enum Use: CaseIterable {
        case notify, write

        var property: String { self == .notify ? "NotifyAcquired" : "WriteAcquired" }
    }

    var notify: [ObjectPath: Acquired] = [:]
    var write: [ObjectPath: Acquired] = [:]
    /// The characteristics of writes that have not ended.
    var writes: [UInt32: ObjectPath] = [:]

    subscript(use: Use) -> [ObjectPath: Acquired] {
        get { use == .notify ? notify : write }
        set { if use == .notify { notify = newValue } else { write = newValue } }
    }

    /// The number of writes of a socket that may wait at once.
    static let maximumWrites = 16
    /// sock_read in src/gatt-client.c.
    static let maximumValue = 512
}

extension BluetoothService {
    // MARK: Calls

    /// Performs a call that concerns sockets, or that one forbids; false if it is another call.
    func performAcquisition(
        _ method: String, _ call: ReceivedCall, _ place: AttributePlace, _ peer: DeviceAddress
    ) -> Bool {
        let isAcquired = (notify: acquired.notify[call.path] != nil, write: acquired.write[call.path] != nil)
        switch method {
        case "AcquireNotify": acquireNotify(call, place, peer)
        case "AcquireWrite": acquireWrite(call, place, peer)
        case "StartNotify" where isAcquired.notify: fail(call, .notifyAcquired)
        case "WriteValue" where isAcquired.write: fail(call, .writeAcquired)
        case "StopNotify" where isAcquired.notify:
            release(.notify, call.path)
            reply(to: call)
        default: return false
        }
        return true
    }

    private func acquireNotify(_ call: ReceivedCall, _ place: AttributePlace, _ peer: DeviceAddress) {
        guard devices[peer]?.isConnected == true else { return fail(call, MethodError(.notConnected)) }
        guard acquired.notify[call.path] == nil else { return fail(call, .notifyAcquired) }
        let isSubscribing = calls.operations.values.contains { $0.kind.isSubscription(to: call.path) }
        guard notifying[call.path] == nil, !isSubscribing else { return fail(call, .attributeInProgress) }
        guard let characteristic = place.characteristic, characteristic.properties.contains(.notify),
            let program = call.sender.flatMap({ programs[$0]?.id })
        else { return fail(call, .notSupported) }
        acquired.notify[call.path] = Acquisitions.Acquired(program: program, peer: peer, place: place)
        start(
            .notify(true, value: place.handle, descriptors: characteristic.descriptorRange, .notification), on: peer,
            for: call, as: .acquireNotify(call.path))
    }

    private func acquireWrite(_ call: ReceivedCall, _ place: AttributePlace, _ peer: DeviceAddress) {
        guard devices[peer]?.isConnected == true else { return fail(call, MethodError(.notConnected)) }
        guard acquired.write[call.path] == nil else { return fail(call, .writeAcquired) }
        guard place.characteristic?.properties.contains(.writeWithoutResponse) == true,
            let program = call.sender.flatMap({ programs[$0]?.id })
        else { return fail(call, .notSupported) }
        acquired.write[call.path] = Acquisitions.Acquired(program: program, peer: peer, place: place)
        open(.write, call)
    }

    /// The peripheral has answered the subscription of AcquireNotify.
    func finishAcquiring(_ call: ReceivedCall, _ failure: CentralFailure?) {
        guard let failure else { return open(.notify, call) }
        acquired.notify[call.path] = nil
        fail(call, MethodError(failure))
    }

    /// Opens the socket of an acquired characteristic, and replies with the program's side.
    private func open(_ use: Acquisitions.Use, _ call: ReceivedCall) {
        // The program, the object or the link has gone meanwhile.
        guard let peer = acquired[use][call.path]?.peer else { return fail(call, MethodError(.notConnected)) }
        guard let (ours, theirs) = AcquiredSocket.pair(on: loop) else {
            let problem = unsafe String(cString: strerror(errno))
            release(use, call.path)
            return fail(call, .failed(problem))
        }
        let path = call.path
        ours.onEnd { [weak self] in self?.assumeIsolated { $0.ended(use, path) } }
        acquired[use][path]?.socket = ours
        if use == .write { receiveWrites(path) }
        objects.set(use.property, .boolean(true), of: .gattCharacteristic, at: path)
        reply(to: call, [.descriptor(theirs), .uint16(UInt16(clamping: devices[peer]?.mtu ?? 23))])
    }

    // MARK: Values

    /// Sends a notified value to the socket of a program; false if it has none.
    func send(_ value: [UInt8], at path: ObjectPath, to program: ProgramID) -> Bool {
        guard let acquired = acquired.notify[path], acquired.program == program else { return false }
        acquired.socket?.send(value)
        return true
    }

    private func receiveWrites(_ path: ObjectPath) {
        acquired.write[path]?.socket?.onValue { [weak self] in
            self?.assumeIsolated { $0.takeWrites(path, upTo: Acquisitions.maximumWrites) }
        }
    }

    /// Writes what a program has sent, as long as only few writes wait.
    private func takeWrites(_ path: ObjectPath, upTo limit: Int) {
        while let acquired = acquired.write[path], acquired.writes < limit {
            guard let value = acquired.socket?.receive(limit: Acquisitions.maximumValue) else { return }
            let id = startUnasked(
                .writeCommand(handle: acquired.place.handle, value), on: acquired.peer, of: acquired.program)
            self.acquired.write[path]?.writes += 1
            self.acquired.writes[id] = path
        }
        acquired.write[path]?.socket?.onValue(nil)
    }

    /// A write of a socket has ended.
    func finishedWrite(_ id: UInt32) {
        guard let path = acquired.writes.removeValue(forKey: id), let former = acquired.write[path] else { return }
        acquired.write[path]?.writes -= 1
        if former.writes == Acquisitions.maximumWrites { receiveWrites(path) }
    }

    // MARK: Ends

    /// The program has closed its side; the values that it sent before are written.
    private func ended(_ use: Acquisitions.Use, _ path: ObjectPath) {
        if use == .write { takeWrites(path, upTo: .max) }
        release(use, path)
        scheduleFlush()
    }

    /// Closes a socket, and ends its subscription.
    private func release(_ use: Acquisitions.Use, _ path: ObjectPath) {
        guard let acquired = acquired[use].removeValue(forKey: path) else { return }
        if acquired.socket != nil {
            objects.set(use.property, .boolean(false), of: .gattCharacteristic, at: path)
        }
        guard use == .notify else {
            self.acquired.writes = self.acquired.writes.filter { $1 != path }
            return
        }
        let descriptors = acquired.place.characteristic?.descriptorRange
        _ = startUnasked(
            .notify(false, value: acquired.place.handle, descriptors: descriptors, .notification), on: acquired.peer,
            of: acquired.program)
    }

    /// Closes the sockets for which something holds: their program, their link or their object has gone.
    func release(where isGone: (ObjectPath, Acquisitions.Acquired) -> Bool) {
        for use in Acquisitions.Use.allCases {
            for (path, _) in acquired[use].filter(isGone).sorted(by: { $0.key < $1.key }) { release(use, path) }
        }
    }
}

extension WaitingOperation.Kind {
    fileprivate func isSubscription(to path: ObjectPath) -> Bool {
        if case .startNotify(path) = self { true } else { false }
    }
}

extension MethodError {
    fileprivate static let notifyAcquired = MethodError("org.bluez.Error.NotPermitted", "Notify acquired")
    fileprivate static let writeAcquired = MethodError("org.bluez.Error.NotPermitted", "Write acquired")
}
