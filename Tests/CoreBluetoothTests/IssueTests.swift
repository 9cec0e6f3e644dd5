import CoreBluetooth
import LubdubTesting
import Testing

extension CoreBluetoothTests {
    /// Issues of expectations that are not met.
    @Suite @MainActor struct IssueTests {
        @Test func `An issue has the cause, the packets that show it, the last events and the note`() async throws {
            let parts = [
                "fail  starts", "the client scanned, and did not connect since the start", "<- LE Advertising Report",
                "the last events:", #""event": "scanning""#, "note: ",
            ]
            try await withKnownIssue {
                try await withScenario("clients/two_octets", showing: .bpm) { world in
                    let central = Central { central, call in
                        guard call == "state poweredOn" else { return }
                        central.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
                    }
                    await world.runToEnd()
                    #expect(central.peripherals.count == 1)
                }
            } matching: { issue in
                let text = issue.comments.map { "\($0)" }.joined()
                return !text.contains("fail  starts") || parts.allSatisfy(text.contains)
            }
        }
    }
}
