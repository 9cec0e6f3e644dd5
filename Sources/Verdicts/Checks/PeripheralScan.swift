package import Bluetooth
import Simulation
import TextFormatting

/// A scan for one peripheral, which also finds others.
package struct PeripheralScan: Sendable {
    package let address: DeviceAddress?
    /// The others, in order of discovery: `C0:FF:EE:00:00:01/random "Lubdub HRM"`.
    package let others: [String]

    package var isFound: Bool { address != nil }

    /// Scans until the peripheral is found, for at most `duration`; with nil as peripheral for all of that time.
    package init(for peer: Peer?, by host: any ExaminerHost, within duration: Duration) {
        var examiner = Examiner(by: host, of: peer ?? .name(""))
        examiner.start()
        let isFound = examiner.scan { examiner in
            examiner.wait(atMost: duration) { peer != nil && $0.advertisement != nil }
        }
        let found = examiner.address
        address = isFound ? found : nil
        others = examiner.advertisers.all.filter { peer == nil || $0.address != found }
            .map { "\($0.address)\($0.name.map { " \($0.quoted)" } ?? "")" }
    }
}
