import Bluetooth
import LinkLayer

// What stations do without a link.
extension Radio {
    /// What a station advertises.
    struct Advertisement: Hashable, Sendable {
        /// How peers may respond.
        enum Kind: Hashable, Sendable {
            /// ADV_IND: every peer may scan or connect.
            case undirected
            /// ADV_DIRECT_IND: only this peer may connect, and only its scanner reports it.
            case directed(DeviceAddress)
            /// ADV_SCAN_IND: every peer may scan.
            case scannable
            /// ADV_NONCONN_IND: no peer may respond.
            case nonConnectable
        }

        /// How peers may respond.
        var kind: Kind
        /// The address of the advertiser.
        var address: DeviceAddress
        /// Up to 31 octets of advertising data.
        var data: [UInt8]
        /// Up to 31 octets of scan response data.
        var scanResponse: [UInt8]
        /// The peers that may connect; nil: all.
        var connectors: [DeviceAddress]?
        /// The peers that receive a scan response; nil: all.
        var scanners: [DeviceAddress]?

        /// Open to every peer, until `connectors` and `scanners` are set.
        init(kind: Kind, address: DeviceAddress, data: [UInt8], scanResponse: [UInt8]) {
            (self.kind, self.address, self.data, self.scanResponse) = (kind, address, data, scanResponse)
        }

        /// A directed packet contains the address of its target instead of data.
        var dataOnAir: [UInt8] { if case .directed = kind { [] } else { data } }

        /// The payload in octets.
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

    /// How a station connects.
    struct Initiation: Sendable {
        var listener: Listener
        var peers: [DeviceAddress]
        var address: DeviceAddress
        var parameters: LinkParameters
        var attempt: UInt32 = 0
    }
}
