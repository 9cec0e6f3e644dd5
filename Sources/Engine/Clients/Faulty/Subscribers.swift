import ATT
import Bluetooth
import GATT
import LEHost

// Clients that subscribe, confirm or write wrongly.
extension FaultyClient {
    /// PMD Control Point.  Polar BLE SDK, technical documentation of the Measurement Data service.
    private static let polarControlPoint = UUID("FB005C81-02E7-F387-1CAD-8ACD2D8DF0C8")
    /// PMD Data, and the streams among Lubdub's own characteristics.
    private static let streams = [
        "FB005C82-02E7-F387-1CAD-8ACD2D8DF0C8", "6C750201-6264-4562-A000-4C7562647562",
        "6C750301-6264-4562-A000-4C7562647562", "6C750401-6264-4562-A000-4C7562647562",
    ].compactMap { UUID($0) }

    static let subscribers = [
        requesting(
            "polls", "polls values instead of subscribing"
        ) { command, view in
            guard case .procedure(let id, .configure(let handle, _), let number) = command,
                view.uuid(at: handle) == .heartRateMeasurement, let value = view.handle(of: .heartRateMeasurement)
            else { return [.request(command)] }
            return [.request(command), .request(.procedure(id, .read(handle: value), id: number &+ 0x8000_0000))]
        },
        requesting(
            "mute", "never subscribes"
        ) { command, _ in
            guard case .configure? = procedure(command) else { return [.request(command)] }
            return [.assume(.written)]
        },
        requesting(
            "notifies_all", "requests notifications of indicated values", "gattlib#149"
        ) { command, _ in
            guard case .procedure(let id, .configure(let handle, .indication), let number) = command else {
                return [.request(command)]
            }
            return [.request(.procedure(id, .configure(handle: handle, .notification), id: number))]
        },
        requesting(
            "confirms_nothing", "confirms no indications"
        ) { command, _ in
            guard case .discoverEverything? = procedure(command) else { return [.request(command)] }
            return [.inject(.confirmIndications(false)), .request(command)]
        },
        requesting(
            "never_resets", "does not write the control point"
        ) { command, view in
            guard case .write(let handle, _)? = procedure(command), view.uuid(at: handle) == .heartRateControlPoint
            else { return [.request(command)] }
            return [.assume(.written)]
        },
        requesting(
            "no_control_point_configuration", "writes to Polar's control point without subscribing to it",
            "polar-ble-sdk#360"
        ) { command, view in
            guard case .configure(let handle, _)? = procedure(command), view.uuid(at: handle) == Self.polarControlPoint
            else { return [.request(command)] }
            return [.assume(.written)]
        },
        requesting(
            "knows_all_straps", "discovers only services, and assumes its former handles and subscriptions"
        ) { command, _ in
            switch command {
            case .procedure(let id, .discoverEverything, let number):
                let asked = Host.Command.procedure(id, .discoverPrimaryServices, id: number &+ 0x8000_0000)
                return [.request(asked), .assume(.services([usualStrap]))]
            case .procedure(_, .configure, _): return [.assume(.written)]
            default: return [.request(command)]
            }
        },
        FaultyClient(
            name: "loses_frames", about: "loses some values of fast streams",
            values: { octets, uuid, view in
                Self.streams.contains(uuid) && view.values % 20 < 4
                    ? [] : [.receive(octets)]
            }),
        FaultyClient(
            name: "deaf_to_streams", about: "ignores fast streams",
            values: { octets, uuid, _ in
                Self.streams.contains(uuid) ? [] : [.receive(octets)]
            }),
    ]

    private static let usualStrap = DiscoveredService(
        uuid: .heartRate, range: HandleRange(14, 17),
        characteristics: [
            DiscoveredCharacteristic(
                uuid: .heartRateMeasurement, range: HandleRange(15, 17), properties: .notify, valueHandle: 16,
                descriptors: [AttributeType(17, .clientCharacteristicConfiguration)])
        ])
}
