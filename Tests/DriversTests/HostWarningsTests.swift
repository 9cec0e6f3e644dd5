import Bluetooth
import HCI
import LEHost
import Testing

@testable import Drivers

@Suite struct HostWarningsTests {
    private static let id = ConnectionID(number: 1)

    @Test(arguments: [
        (
            Host.Output.keptThroughReset(id),
            "the controller keeps its links through HCI Reset, so links end with a Disconnect instead of a silent loss "
                + "(use another controller: an adapter, --radio hci:0, or lubdub controller)"
        ),
        (.dropped(id), "the controller is too slow: data are lost that the event log may show as sent"),
        (
            .refused(Command.leSetRandomAddress.opcode, .commandDisallowed),
            "the controller refused LE_Set_Random_Address: command_disallowed"
        ),
    ])
    func `A controller's defect is reported once`(output: Host.Output, words: String) {
        var warnings = HostWarnings()
        #expect(warnings.warning(for: output) == words)
        #expect(warnings.warning(for: output) == nil)
    }

    @Test func `Other outputs need no warning`() {
        var warnings = HostWarnings()
        #expect(warnings.warning(for: .advertising(true)) == nil)
    }
}
