import CoreBluetooth
import Foundation
import LubdubTesting
import Testing

extension CoreBluetoothTests {
    /// Notifications and indications, and pairing for them.
    @Suite @MainActor struct NotificationTests {
        @Test(.page("cbperipheral/setnotifyvalue(_:for:)"))
        func `Notifications are enabled, and values arrive`() async throws {
            try await explored { world, central, peripheral in
                let level = try #require(central.characteristic(Lamp.level))
                peripheral.setNotifyValue(true, for: level)
                await world.run(for: .seconds(5))
                #expect(central.calls.first == "didUpdateNotificationState \(Lamp.level)")
                #expect((3...5).contains(central.count("didUpdateValue \(Lamp.level)")))
                #expect(level.value == Data([40]))
            }
        }

        @Test(.page("cbcharacteristic/isnotifying")) func `isNotifying follows the peripheral's answer`() async throws {
            try await explored { world, central, peripheral in
                let level = try #require(central.characteristic(Lamp.level))
                peripheral.setNotifyValue(true, for: level)
                #expect(!level.isNotifying)
                await world.run(for: .seconds(1))
                #expect(level.isNotifying)
                peripheral.setNotifyValue(false, for: level)
                await world.run(for: .seconds(1))
                #expect(!level.isNotifying)
                central.clear()
                await world.run(for: .seconds(5))
                #expect(central.calls.isEmpty)
            }
        }

        @Test(.page("cbperipheral/setnotifyvalue(_:for:)"))
        func `A characteristic without notifications has an error`() async throws {
            try await explored { world, central, peripheral in
                let label = try #require(central.characteristic(Lamp.label))
                peripheral.setNotifyValue(true, for: label)
                await world.run(for: .seconds(1))
                #expect(central.calls == ["didUpdateNotificationState \(Lamp.label)"])
                #expect(central.errors.last.flatMap(\.self) != nil)
                #expect(!label.isNotifying)
            }
        }

        @Test(.page("cbperipheral/setnotifyvalue(_:for:)"))
        func `Of notifications and indications, only notifications are enabled`() async throws {
            try await explored { world, central, peripheral in
                peripheral.setNotifyValue(true, for: try #require(central.characteristic(Lamp.level)))
                await world.run(for: .seconds(5))
                #expect(
                    world.events.contains(#""event": "notified""#) && !world.events.contains(#""event": "indicated""#))
            }
        }

        @Test(.page("cbperipheral/setnotifyvalue(_:for:)"))
        func `A characteristic that has only indications is indicated`() async throws {
            try await explored { world, central, peripheral in
                let watts = try #require(central.characteristic(Lamp.watts))
                peripheral.setNotifyValue(true, for: watts)
                await world.run(for: .seconds(7))
                #expect(watts.value == Data([0x84, 0x03]))
                #expect(central.count("didUpdateValue \(Lamp.watts)") >= 2)
                #expect(world.events.contains(#""event": "confirmed""#))
            }
        }

        @Test(.page("cbcentralmanagerdelegate/centralmanager(_:diddisconnectperipheral:error:)"))
        func `After a reconnection, the app has to subscribe again`() async throws {
            try await explored { world, central, peripheral in
                peripheral.setNotifyValue(true, for: try #require(central.characteristic(Lamp.level)))
                await world.run(for: .seconds(3))
                try world.do("disconnect", of: "lamp")
                await world.run(until: { central.calls.contains("didDisconnect") }, within: .seconds(5))
                central.clear()
                central.manager.connect(peripheral)
                await world.run(for: .seconds(10))
                #expect(peripheral.state == .connected)
                #expect(!central.calls.contains("didUpdateValue \(Lamp.level)"))
                #expect(central.characteristic(Lamp.level)?.isNotifying == false)
            }
        }

        @Test(.page("cbperipheral/setnotifyvalue(_:for:)"))
        func `Two managers share a subscription`() async throws {
            try await explored { world, first, peripheral in
                let level = try #require(first.characteristic(Lamp.level))
                peripheral.setNotifyValue(true, for: level)
                let second = Central { central, call in
                    guard call == "state poweredOn" else { return central.explore(after: call) }
                    let light = CBUUID(string: Lamp.light)
                    central.peripherals = central.manager.retrieveConnectedPeripherals(withServices: [light])
                    central.peripheral?.delegate = central
                    if let peripheral = central.peripheral { central.manager.connect(peripheral) }
                }
                await world.run(until: { second.isReady }, within: .seconds(10))
                let other = try #require(second.characteristic(Lamp.level))
                second.peripheral?.setNotifyValue(true, for: other)
                await world.run(for: .seconds(2))
                peripheral.setNotifyValue(false, for: level)
                await world.run(for: .seconds(1))
                first.clear()
                second.clear()
                await world.run(for: .seconds(3))
                #expect(first.calls.isEmpty)
                #expect(second.count("didUpdateValue \(Lamp.level)") >= 2)
            }
        }

        @Test(.page("cbcharacteristicproperties/notifyencryptionrequired"))
        func `A characteristic that needs it makes the system pair`() async throws {
            try await explored("security/encrypted") { world, central, peripheral in
                let rate = try #require(central.characteristic("2A37"))
                peripheral.setNotifyValue(true, for: rate)
                await world.run(until: { rate.isNotifying }, within: .seconds(10))
                await world.run(until: { central.count("didUpdateValue 2A37") > 2 }, within: .seconds(10))
                #expect(world.events.contains(#""event": "paired""#))
                #expect(central.errors.allSatisfy { $0 == nil })
            }
        }

        @Test(.page("cbatterror-swift.struct/insufficientauthentication"))
        func `If pairing fails, the operation has insufficientAuthentication`() async throws {
            try await explored("security/encrypted") { world, central, peripheral in
                let rate = try #require(central.characteristic("2A37"))
                try world.do("refuse_pairing", of: "strap")
                peripheral.setNotifyValue(true, for: rate)
                await world.run(until: { !central.calls.isEmpty }, within: .seconds(10))
                #expect(central.calls == ["didUpdateNotificationState 2A37"])
                #expect(central.lastATTError == .insufficientAuthentication)
                #expect(!rate.isNotifying)
            }
        }

        @Test(.page("cberror-swift.struct/peerremovedpairinginformation"))
        func `A peripheral that has lost the bond is disconnected`() async throws {
            try await explored("security/encrypted") { world, central, peripheral in
                let rate = try #require(central.characteristic("2A37"))
                peripheral.setNotifyValue(true, for: rate)
                await world.run(until: { rate.isNotifying }, within: .seconds(10))
                try world.perform(#"{"do": "forget_bond", "of": "strap", "side": "device"}"#)
                try world.do("disconnect", of: "strap")
                await world.run(until: { central.calls.contains("didDisconnect") }, within: .seconds(5))
                central.manager.connect(peripheral)
                await world.run(until: { central.count("didDisconnect") == 2 }, within: .seconds(10))
                #expect(central.lastError == .peerRemovedPairingInformation)
            }
        }
    }
}
