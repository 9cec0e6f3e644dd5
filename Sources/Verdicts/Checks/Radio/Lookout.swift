public import Bluetooth
import Simulation
import Spelling

/// Whether a peripheral is there, and who else is.
public struct Lookout: Sendable {
    /// Where the one that is meant was heard; nil when it was not.
    public let address: DeviceAddress?
    /// The others, in the order in which they were heard first: `C0:FF:EE:00:00:01/random "Lubdub HRM"`.
    public let others: [String]

    /// Whether the one that is meant was heard.
    public var isFound: Bool { address != nil }

    /// Listens until a peripheral is heard, for so long at the most; nil: for as long, whoever is heard.
    public init(for peer: Peer?, by radio: any CentralRadio, within duration: Duration) {
        var examiner = Examiner(by: radio, of: peer ?? .name(""))
        examiner.start()
        let isFound = examiner.scan { examiner in
            examiner.wait(atMost: duration) { peer != nil && $0.advertisement != nil }
        }
        let found = examiner.address
        address = isFound ? found : nil
        others = examiner.crowd.members.filter { peer == nil || $0.address != found }
            .map { "\($0.address)\($0.name.map { " \($0.quoted)" } ?? "")" }
    }
}
