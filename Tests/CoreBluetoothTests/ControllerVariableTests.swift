import CoreBluetooth
import Sockets
import Testing

/// The values of `LUBDUB_CONTROLLER`.
@Suite struct ControllerVariableTests {
    @Test(arguments: ["tcp:127.0.0.1:6402", "unix:/tmp/hci"])
    func `An address of a stream is one of a controller`(text: String) throws {
        #expect("\(try StreamAddress(ofController: text))" == text)
    }

    @Test(
        arguments: [
            (nil, "there is no radio (set LUBDUB_CONTROLLER, for example to tcp:127.0.0.1:6402)"),
            (
                "hci1",
                "LUBDUB_CONTROLLER: hci1 is an adapter of this machine, which apps cannot open (set it to the address "
                    + "that lubdub bridge hci:1 prints; under lubdub run, remove --controller vhci)"
            ),
            (
                "hci:0",
                "LUBDUB_CONTROLLER: hci0 is an adapter of this machine, which apps cannot open (set it to the address "
                    + "that lubdub bridge hci:0 prints; under lubdub run, remove --controller vhci)"
            ),
            ("hci:", #"LUBDUB_CONTROLLER: invalid address "hci:": use tcp:HOST:PORT or unix:PATH"#),
            ("hci:+1", #"LUBDUB_CONTROLLER: invalid address "hci:+1": use tcp:HOST:PORT or unix:PATH"#),
            ("hci99999", #"LUBDUB_CONTROLLER: invalid address "hci99999": use tcp:HOST:PORT or unix:PATH"#),
        ] as [(String?, String)])
    func `Any other value is a problem with a fix`(text: String?, problem: String) {
        do throws(UnusableController) {
            _ = try StreamAddress(ofController: text)
            Issue.record("no problem")
        } catch { #expect("\(error)" == problem) }
    }
}
