import CoreBluetooth
import Testing

extension CoreBluetoothTests {
    /// A file that imports CoreBluetooth only, as many files of apps do.
    @Suite struct ExportTests {
        @Test func `CoreBluetooth has the names of Foundation and Dispatch`() {
            let queue = DispatchQueue(label: "bluetooth")
            let data = queue.sync { "62".data(using: .utf8) }
            #expect(data == Data([0x36, 0x32]) && UUID(uuidString: "180D") == nil)
        }
    }
}
