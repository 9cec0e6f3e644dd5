import Bluetooth
import LinkLayer

// What stations do without a link.
extension Radio {
    /// What somebody says about itself while it advertises.
    struct Advertisement: Hashable, Sendable {
        /// What may be done about it.
        enum Kind: Hashable, Sendable {
            /// ADV_IND: anybody may scan or connect.
            case undirected
            /// ADV_DIRECT_IND: only this one may connect, and nobody else hears of it.
            case directed(DeviceAddress)
            /// ADV_SCAN_IND: anybody may scan.
            case scannable
            /// ADV_NONCONN_IND: nobody may do anything.
            case nonConnectable
        }

        /// What may be done about it.
        var kind: Kind
        /// Whose it is.
        var address: DeviceAddress
        /// Up to 31 octets of advertising data.
        var data: [UInt8]
        /// Up to 31 octets for those who ask.
        var scanResponse: [UInt8]
        /// Only these may connect; nil: anybody.
        var connectors: [DeviceAddress]?
        /// Only these get a scan response; nil: anybody.
        var scanners: [DeviceAddress]?

        /// For anybody, until `connectors` and `scanners` are set.
        init(kind: Kind, address: DeviceAddress, data: [UInt8], scanResponse: [UInt8]) {
            (self.kind, self.address, self.data, self.scanResponse) = (kind, address, data, scanResponse)
        }

        /// A directed packet has the address of whom it is for instead of data.
        var dataOnAir: [UInt8] { if case .directed = kind { [] } else { data } }

        /// In octets.
        var payload: Int {
            if case .directed = kind { AirTime.directedPayload } else { AirTime.advertisingPayload(data: data.count) }
        }

        func admits(_ initiator: DeviceAddress) -> Bool {
            switch kind {
            case .undirected: connectors?.contains(initiator) ?? true
            case .directed(let peer): peer == initiator
            case .scannable, .nonConnectable: false
            }
        }

        func answers(_ scanner: DeviceAddress) -> Bool {
            switch kind {
            case .undirected, .scannable: scanners?.contains(scanner) ?? true
            case .directed, .nonConnectable: false
            }
        }
    }

    /// How a station scans.
    struct Scan: Sendable {
        var listener: Listener
        var isActive: Bool
        var address: DeviceAddress
    }

    /// Whom a station wants to be linked to.
    struct Initiation: Sendable {
        var listener: Listener
        var peers: [DeviceAddress]
        var address: DeviceAddress
        var parameters: LinkParameters
        var attempt: UInt32 = 0
    }
}
