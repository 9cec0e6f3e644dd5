import Basics
import Bluetooth
import Foundation
import HCI
import LEHost
import SecurityManager
import Sockets
import SystemBluetooth

/// A controller at a TCP port or a Unix socket, in real time; without an address, no radio.
///
/// It has its own thread, whose event loop is the only user of its state.
final class ControllerRadio: Radio {
    let identifiers: PeripheralIdentifiers
    let peripherals = KnownPeripherals()
    private let loop = EventLoop(pace: .real())
    private let address: StreamAddress?
    /// Whether the process is a client under test, which prints lines for Lubdub.
    private let printsLines: Bool
    private var stack: SystemHost
    private var transport: H4Transport?
    private var outputs: [SystemHost.Output] = []
    private var waiting: [SystemHost.Input] = []  // until the transport is open
    private var isOpen = false
    private var hasFailed = false

    /// The controller that `LUBDUB_CONTROLLER` names, with the other variables of a client under test.
    static func ofEnvironment() -> ControllerRadio {
        let variables = ProcessInfo.processInfo.environment
        do throws(UnusableController) {
            return ControllerRadio(at: try StreamAddress(ofController: variables["LUBDUB_CONTROLLER"]), variables)
        } catch {
            warn("\(error)")
            return ControllerRadio(at: nil, variables)
        }
    }

    /// Opens the controller.
    ///
    /// - Parameters:
    ///   - address: Where the controller speaks H4; nil: managers are unsupported.
    ///   - variables: The environment of a client under test.
    init(at address: StreamAddress?, _ variables: [String: String] = [:]) {
        self.address = address
        printsLines = variables["LUBDUB_CASE"] != nil
        identifiers = PeripheralIdentifiers(seed: variables["LUBDUB_SEED"].flatMap { UInt64($0) } ?? 0)
        var user = PairingUser()
        user.passkey = variables["LUBDUB_PASSKEY"].flatMap { UInt32($0) }
        stack = SystemHost(.iPhone, Self.randomAddress(), user: user, name: variables["LUBDUB_NAME"])
        let thread = Thread { [self] in
            do { try loop.run { [loop] in try await loop.sleep(until: .never) } } catch { warn("\(error)") }
        }
        thread.start()
        loop.call(at: .start) { [self] in open() }
    }

    func submit(_ request: ProgramRequest, of manager: ProgramID) {
        if let line = StateLine.text(for: request) { write(line) }
        loop.call(at: .start) { [self] in
            let input = SystemHost.Input.request(manager, request)
            guard isOpen || hasFailed else { return waiting.append(input) }
            step(input)
        }
    }

    func warn(_ misuse: String) { Self.warn(misuse) }

    private static func warn(_ text: String) {
        FileHandle.standardError.write(Data("[CoreBluetooth] \(text)\n".utf8))
    }

    private func write(_ line: String) {
        if printsLines { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
    }

    /// A static address: hosts of one radio need different ones.  Core 6.0, Vol 6, Part B, section 1.3.2.1.
    private static func randomAddress() -> DeviceAddress {
        var chance = SystemRandomNumberGenerator()
        return DeviceAddress(0xC000_0000_0000 | chance.next() >> 18, .random)
    }

    // MARK: On the loop's thread

    private func open() {
        guard let address else { return fail(nil) }
        do throws(SocketFailure) {
            let transport = H4Transport(try StreamConnection(to: address, on: loop))
            self.transport = transport
            transport.start { [self] event in handle(event) }
        } catch { fail(error.description(at: address)) }
    }

    private func handle(_ event: H4Transport.Event) {
        switch event {
        case .opened:
            isOpen = true
            for input in waiting { step(input) }
            waiting.removeAll()
        case .received(let packets): for packet in packets { step(.received(packet.kind, packet.octets)) }
        case .failed(let failure): fail(address.map { failure.description(at: $0) })
        }
    }

    private func fail(_ reason: String?) {
        hasFailed = true
        if let reason { warn(reason) }
        for input in waiting { step(input) }
        waiting.removeAll()
        step(.lost)
    }

    private func step(_ input: SystemHost.Input) {
        stack.step(input, at: loop.now, into: &outputs)
        let outputs = outputs
        self.outputs.removeAll(keepingCapacity: true)
        for output in outputs {
            switch output {
            case .send(let kind, let octets): transport?.send(kind, octets)
            case .wake(let due): loop.call(at: due) { [self] in step(.timePassed) }
            case .event(let manager, let event):
                if let line = StateLine.text(for: event) { write(line) }
                Managers.deliver(event, to: manager)
            }
        }
    }
}
