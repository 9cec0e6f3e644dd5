import Basics
import Drivers
import Testing

@Suite struct ControllerAddressTests {
    @Test(arguments: ["hci:7", "hci7", "hci:hci7"])
    func `An adapter is named by its number`(text: String) throws {
        #expect(try ControllerAddress(adapter: text) == .adapter(7))
    }

    @Test(arguments: ["hci:7", "hci:hci7", "hci:socket:7"])
    func `A radio can be an adapter`(text: String) throws {
        #expect(try ControllerAddress(radio: text) == .adapter(7))
    }

    @Test(arguments: [
        "", "7", "hci", "hci:", "hci:-1", "hci:65536", "hci:+1", "hci:01", "hci:0,1", "bluez:hci0",
        "hci:tcp:127.0.0.1:6402",
    ])
    func `Other texts do not name an adapter`(text: String) {
        do throws(Obstacle) {
            _ = try ControllerAddress(adapter: text)
            Issue.record("accepted")
        } catch {
            #expect(error.code == .usage)
            #expect(
                error.description
                    == "an adapter has a name such as hci:0, not \"\(text)\" (lubdub doctor lists this machine's)")
        }
    }

    @Test(arguments: ["bluez:hci-1", "bluez:hci+1", "bluez:hci01", "bluez:hci99999", "bluez:hci", "hci:+1"])
    func `A radio has the name of an adapter as Linux writes it`(text: String) {
        do throws(Obstacle) {
            _ = try RadioChoice(text)
            Issue.record("accepted")
        } catch { #expect(error.code == .usage) }
    }
}
