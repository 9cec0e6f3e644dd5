import CoreBluetooth
import Foundation
import LubdubTesting
import Testing

/// UUIDs and errors, without a radio.
@Suite struct ValueTypeTests {
    @Test(
        .page("cbuuid/init(string:)"),
        arguments: [
            ("180D", "180D"), ("180d", "180D"), ("0000180D-0000-1000-8000-00805F9B34FB", "180D"),
            ("12345678", "12345678"), ("0000180D", "180D"),
            ("12345678-0000-1000-8000-00805f9b34fb", "12345678"),
            ("7d1c0001-5b0e-4c43-9a57-2f6b8e1d9c30", "7D1C0001-5B0E-4C43-9A57-2F6B8E1D9C30"),
        ])
    func `A UUID has its shortest form, in upper case`(text: String, form: String) {
        #expect(CBUUID(string: text).uuidString == form)
        #expect(CBUUID(string: text) == CBUUID(string: form))
        #expect(CBUUID(string: text).hash == CBUUID(string: form).hash)
    }

    @Test(.page("cbuuid/data")) func `The data has the most significant octet first`() {
        #expect(CBUUID(string: "180D").data == Data([0x18, 0x0D]))
        #expect(CBUUID(data: Data([0x18, 0x0D])) == CBUUID(string: "180D"))
        #expect(CBUUID(string: Lamp.light).data.prefix(4) == Data([0x7D, 0x1C, 0x00, 0x01]))
        #expect(CBUUID(data: CBUUID(string: Lamp.light).data) == CBUUID(string: Lamp.light))
    }

    @Test(.page("cbuuid/init(nsuuid:)")) func `A UUID of Foundation is the same identifier`() throws {
        let uuid = try #require(UUID(uuidString: Lamp.light))
        #expect(CBUUID(nsuuid: uuid) == CBUUID(string: Lamp.light))
    }

    @Test(.page("cbuuid")) func `UUIDs are keys of dictionaries`() {
        let names = [CBUUID(string: "180D"): "heart rate", CBUUID(string: "180F"): "battery"]
        #expect(names[CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB")] == "heart rate")
        #expect(names[CBUUID(string: "180A")] == nil)
    }

    @Test(.page("cberror-swift.struct/code")) func `The codes have Apple's numbers`() {
        #expect(CBError.Code.connectionTimeout.rawValue == 6)
        #expect(CBError.Code.peripheralDisconnected.rawValue == 7)
        #expect(CBError.Code.peerRemovedPairingInformation.rawValue == 14)
        #expect(CBATTError.Code.insufficientEncryption.rawValue == 15)
    }

    @Test(.page("cberrordomain")) func `An error has its domain and code, and can be matched`() {
        let error: any Error = CBError(.connectionTimeout)
        #expect((error as? CBError)?.code == .connectionTimeout)
        #expect((error as NSError).domain == CBErrorDomain && (error as NSError).code == 6)
        #expect(error.localizedDescription == "The connection has timed out unexpectedly.")
        func name(_ error: any Error) -> String {
            switch error {
            case CBError.peripheralDisconnected: "disconnected"
            case CBATTError.Code.readNotPermitted: "not permitted"
            case CBATTError.insufficientEncryption: "not encrypted"
            default: "other"
            }
        }
        #expect(name(CBError(.peripheralDisconnected)) == "disconnected")
        #expect(name(CBATTError(.readNotPermitted)) == "not permitted")
        #expect(name(CBATTError(.insufficientEncryption)) == "not encrypted")
        #expect(name(error) == "other")
        let own = CBError(.connectionFailed, userInfo: [NSLocalizedDescriptionKey: "mine", "peer": 7])
        #expect((own as NSError).userInfo["peer"] as? Int == 7)
        #expect((own as NSError).localizedDescription == "mine")
        #expect(own != CBError(.connectionFailed) && CBError(.unknown) == CBError(.unknown))
    }
}
