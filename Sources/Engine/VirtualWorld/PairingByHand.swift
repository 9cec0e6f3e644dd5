package import Basics
import Bluetooth
package import LEHost
import ScenarioModel
import SecurityManager

// A person at a device that pairs with a client whose owner pairs by itself, with `Host.Fault.divertSecurity`.
extension World {
    /// The passkey that a device displays; nil if it displays none.
    package func passkey(displayedBy device: Int) -> UInt32? {
        nodes.indices.contains(device) ? nodes[device].user.screen?.passkey : nil
    }

    /// Shows the device's user what a client displays: a passkey to enter, or a number to compare.
    package mutating func show(
        passkey: UInt32?, number: UInt32?, on client: Int, _ connection: ConnectionID, toUserOf device: Int
    ) {
        guard nodes.indices.contains(client), nodes.indices.contains(device),
            let (own, peer) = nodes[client].host.addresses(of: connection)
        else { return }
        var screen = PairingScreen(connection: connection, own: own, peer: peer)
        (screen.passkey, screen.number) = (passkey, number)
        nodes[client].user.screen = screen
        answerQuestions(of: device)
    }

    /// Lets a device send a Security Request to its first client; false without a client, and if it does not pair.
    package mutating func requestSecurity(by device: Int) -> Bool {
        guard nodes.indices.contains(device), nodes[device].host.security.settings != nil,
            let connection = nodes[device].connections.first
        else { return false }
        command(.security(connection.id, .pair), of: device)
        return true
    }

    /// A stream of random numbers for a client.
    package func secrets(named name: String) -> RandomStream { chance.stream(name) }
}
