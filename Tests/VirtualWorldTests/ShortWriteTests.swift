import ATT
import Bluetooth
import GATT
import Testing
import VirtualWorld

/// Writes of fewer octets than a value of fixed length has: a scenario chooses what a device does.
///
///     0010 2A37, 0011 CCCD
///     0040 2A58, a number of two octets
@Suite struct ShortWriteTests {
    private static func client(_ choice: String) throws -> ProcedureClient {
        try ProcedureClient(
            TestScenario(
                "short_writes",
                """
                {"lubdub": 1, "name": "x", "limit": "5 min", "devices": [
                  {"id": "strap", \(choice) "services": [
                    {"service": "heart_rate", "value": 72},
                    {"service": "custom", "uuid": "1815", "characteristics": [
                      {"id": "number", "uuid": "2A58", "format": "uint16", "properties": ["read", "write"], "value": 1286,
                       "handle": 64}]}]}],
                 "script": [{"when": "2 s", "do": "move_handles", "of": "strap", "by": 16}]}
                """))
    }

    @Test(arguments: ["", #""short_writes": "accepted","#])
    func `A short write changes the first octets`(choice: String) throws {
        var client = try Self.client(choice)
        #expect(try client.ask(.write(handle: 0x11, value: [1])) == .success(.written))
        #expect(try client.ask(.read(handle: 0x11)) == .success(.value([1, 0])))
        #expect(try client.ask(.write(handle: 0x40, value: [7])) == .success(.written))
        #expect(try client.ask(.read(handle: 0x40)) == .success(.value([7, 5])))
    }

    @Test(arguments: [0.0, 3])
    func `A device can reject short writes, also after its handles have moved`(seconds: Double) throws {
        var client = try Self.client(#""short_writes": "rejected","#)
        client.run(until: seconds)
        let shift: UInt16 = seconds > 2 ? 16 : 0
        for (handle, value) in [(0x11 + shift, [0, 0] as [UInt8]), (0x40 + shift, [6, 5])] {
            let refusal = Procedure.Failure.refused(.invalidAttributeValueLength, handle: handle)
            #expect(try client.ask(.write(handle: handle, value: [1])) == .failure(refusal))
            #expect(try client.ask(.read(handle: handle)) == .success(.value(value)))
        }
    }
}
