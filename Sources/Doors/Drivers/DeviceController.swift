import HCI
import LEHost
import Sockets
import VirtualWorld

/// An external controller that a device uses.
struct DeviceController {
    let transport: H4Transport
    /// Whether packets can be sent to it.
    var isOpen = false
    private let address: ControllerAddress
    private var warnings = HostWarnings()
    private var power = PowerReports()

    init(_ address: ControllerAddress, _ transport: H4Transport) {
        (self.address, self.transport) = (address, transport)
    }

    func message(of failure: H4Transport.Failure) -> String { ControllerTrouble.message(failure, address) }

    func message(of failure: Host.Failure) -> String { ControllerTrouble.message(failure, address) }

    /// The message that it does not respond, maybe to a command; nil if it does.
    func silence(unanswered command: Opcode?) -> String? {
        isOpen && command == nil ? nil : ControllerTrouble.silence(command, address)
    }

    /// A warning to print; nil if there is nothing new to warn of.
    mutating func warning(for output: Host.Output) -> String? {
        warnings.warning(for: output).map { "\(address): \($0)" }
    }

    /// The line about its power to print; nil if nothing is new.
    mutating func line(for power: AdvertisingPower?) -> String? {
        self.power.line(for: power).map { "\(address): \($0)" }
    }
}
