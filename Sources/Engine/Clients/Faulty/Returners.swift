import Bluetooth
import GATT
import LEHost

// Clients that return wrongly after an absence.
extension FaultyClient {
    static let returners = [
        configured(
            "never_returns", "does not reconnect", "WebBluetoothCG/web-bluetooth#220"
        ) {
            $0.reconnects = false
        },
        requesting(
            "believes_in_subscription", "does not subscribe again after a reconnection",
            "WebBluetoothCG/web-bluetooth#220; flutter_reactive_ble#384"
        ) { command, view in
            guard case .configure? = procedure(command), view.connections > 1 else { return [.request(command)] }
            return [.assume(.written)]
        },
        requesting(
            "believes_in_handles", "keeps the handles of the first discovery permanently", "bluez#191"
        ) { command, view in
            guard case .discoverEverything? = procedure(command), !view.services.isEmpty else {
                return [.request(command)]
            }
            return [.assume(.services(view.services))]
        },
        requesting(
            "asks_at_the_old", "repeats reads at old handles"
        ) { command, view in
            guard case .procedure(let id, .configure(let handle, _), let number) = command,
                let old = view.handle(of: .heartRateMeasurement), handle != old + 1, handle > old
            else { return [.request(command)] }
            return [.request(command), .request(.procedure(id, .read(handle: old), id: number &+ 0x8000_0000))]
        },
        requesting(
            "refuses_parameters", "rejects the connection parameters that a strap requests"
        ) { command, _ in
            if case .connect = command { return [.inject(.acceptParameters(false)), .request(command)] }
            return [.request(command)]
        },
        FaultyClient(
            name: "restless", about: "reconnects at times without a reason",
            values: { octets, _, view in view.values % 12 == 0 ? [.reconnect] : [.receive(octets)] }),
        requesting(
            "no_pause", "stops when notifications stop", "VRCOSC#101"
        ) { command, view in
            // The built-in client asks a silent device whether everything is where it was.
            guard case .discoverEverything? = procedure(command), view.values > 0 else { return [.request(command)] }
            return [.crash]
        },
        FaultyClient(
            name: "short_lived", about: "stops after nine values",
            values: { octets, _, view in view.values == 9 ? [.crash] : [.receive(octets)] }),
    ]
}
