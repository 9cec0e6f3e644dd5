import Bluetooth
import HCI

// What stations do without a link.
extension Radio {
    /// What a station advertises.
    struct Advertisement: Hashable, Sendable {
        /// How peers may respond.
        enum Kind: Hashable, Sendable {
            /// ADV_IND: every peer may scan or connect.
            case undirected
            /// ADV_DIRECT_IND: only the peer with this identity address may connect, and only its scanner reports it.
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
        /// The target of directed advertising on the air, if that is a private address.
        var privateTarget: DeviceAddress?
        /// How the advertiser recognizes peers.
        var resolving = ResolvingList()
        /// Up to 31 octets of advertising data.
        var data: [UInt8]
        /// Up to 31 octets of scan response data.
        var scanResponse: [UInt8]
        /// The identity addresses of the peers that may connect; nil: all.
        var connectors: [DeviceAddress]?
        /// The identity addresses of the peers that receive a scan response; nil: all.
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

        /// The target of directed advertising on the air.
        var target: DeviceAddress? { if case .directed(let peer) = kind { privateTarget ?? peer } else { nil } }

        func admits(_ initiator: DeviceAddress) -> Bool {
            guard let sender = resolving.sender(at: initiator) else { return false }
            return switch kind {
            case .undirected: connectors?.contains(sender) ?? true
            case .directed(let peer): peer == sender || privateTarget == initiator
            case .scannable, .nonConnectable: false
            }
        }

        func answers(_ scanner: DeviceAddress) -> Bool {
            guard let sender = resolving.sender(at: scanner) else { return false }
            return switch kind {
            case .undirected, .scannable: scanners?.contains(sender) ?? true
            case .directed, .nonConnectable: false
            }
        }
    }

    /// The addresses with which a station scans or initiates, and how it recognizes advertisers.
    struct OwnAddresses: Sendable {
        /// The public or random address.
        var address: DeviceAddress
        /// Whether it uses private addresses instead, with the devices of `resolving`.
        var isPrivate = false
        var resolving = ResolvingList()

        func address(toward identity: DeviceAddress) -> DeviceAddress {
            isPrivate ? resolving.local(for: identity) ?? address : address
        }

        /// Whether directed advertising of a device is directed to this station.
        func isTarget(_ target: DeviceAddress, of identity: DeviceAddress) -> Bool {
            target == address(toward: identity) || resolving.isOwn(target)
        }
    }

    /// How a station scans.
    struct Scan: Sendable {
        var listener: Listener
        var isActive: Bool
        var own: OwnAddresses
    }

    /// How a station connects.
    struct Initiation: Sendable {
        var listener: Listener
        /// Their identity addresses.
        var peers: [DeviceAddress]
        var own: OwnAddresses
        var parameters: ConnectionTiming
        var attempt: UInt32 = 0

        /// The address with which this station connects to an advertiser; nil: it does not.
        func address(toward advertisement: Advertisement) -> DeviceAddress? {
            guard let peer = own.resolving.sender(at: advertisement.address), peers.contains(peer) else { return nil }
            let address = own.address(toward: peer)
            return advertisement.admits(address) ? address : nil
        }
    }
}
