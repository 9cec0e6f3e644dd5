import CoreBluetooth
import Foundation
import LubdubTesting
import Testing

extension CoreBluetoothTests {
    /// Discovery, and reading and writing of values.
    @Suite @MainActor struct AttributeTests {
        @Test(.page("cbperipheral/services")) func `Services are nil until they are discovered`() async throws {
            try await withScenario(lamp) { world in
                let central = Central { central, call in
                    if ["state poweredOn", "didDiscover Lubdub Lamp"].contains(call) { central.explore(after: call) }
                }
                await world.run(until: { central.calls.contains("didConnect") }, within: .seconds(5))
                await world.run(for: .seconds(2))
                #expect(central.peripheral?.state == .connected)
                #expect(central.peripheral?.services == nil)
            }
        }

        @Test(.page("cbperipheral/discoverservices(_:)"))
        func `Without UUIDs, all services are discovered`() async throws {
            try await explored { _, _, peripheral in
                let uuids = peripheral.services?.map(\.uuid.uuidString) ?? []
                #expect(uuids.suffix(2) == [Lamp.light, Lamp.meter])
                #expect(uuids.contains("1801"))
            }
        }

        @Test(.page("cbperipheral/discoverservices(_:)"))
        func `With UUIDs, only these services are discovered`() async throws {
            try await withScenario(lamp) { world in
                let central = Central { central, call in
                    if call == "didConnect" {
                        central.peripheral?.discoverServices([CBUUID(string: Lamp.meter), CBUUID(string: "180D")])
                    } else if call != "didDiscoverServices" {
                        central.explore(after: call)
                    }
                }
                await world.run(until: { central.calls.contains("didDiscoverServices") }, within: .seconds(5))
                #expect(central.peripheral?.services?.map(\.uuid.uuidString) == [Lamp.meter])
            }
        }

        @Test(.page("cbservice/characteristics"))
        func `Characteristics are nil until they are discovered`() async throws {
            try await withScenario(lamp) { world in
                let central = Central { central, call in
                    if call != "didDiscoverServices" { central.explore(after: call) }
                }
                await world.run(until: { central.calls.contains("didDiscoverServices") }, within: .seconds(5))
                let light = try #require(central.peripheral?.services?.first { $0.uuid.uuidString == Lamp.light })
                #expect(light.characteristics == nil)
                central.peripheral?.discoverCharacteristics([CBUUID(string: Lamp.lock)], for: light)
                await world.run(for: .seconds(1))
                #expect(light.characteristics?.map(\.uuid.uuidString) == [Lamp.lock])
                let lock = try #require(light.characteristics?.first)
                central.peripheral?.discoverCharacteristics(nil, for: light)
                await world.run(for: .seconds(1))
                #expect(light.characteristics?.count == 4)
                #expect(light.characteristics?.contains { $0 === lock } == true)
            }
        }

        @Test(.page("cbperipheral/discoverincludedservices(_:for:)"))
        func `Included services are discovered`() async throws {
            try await explored { world, central, peripheral in
                let light = try #require(peripheral.services?.first { $0.uuid.uuidString == Lamp.light })
                #expect(light.includedServices == nil)
                peripheral.discoverIncludedServices(nil, for: light)
                await world.run(for: .seconds(1))
                #expect(central.calls == ["didDiscoverIncludedServices \(Lamp.light)"])
                #expect(light.includedServices?.map(\.uuid.uuidString) == [Lamp.meter])
            }
        }

        @Test(.page("cbperipheral/discoverdescriptors(for:)")) func `Descriptors are discovered`() async throws {
            try await explored { world, central, peripheral in
                let level = try #require(central.characteristic(Lamp.level))
                #expect(level.descriptors == nil)
                peripheral.discoverDescriptors(for: level)
                await world.run(for: .seconds(1))
                #expect(level.descriptors?.map(\.uuid.uuidString) == ["2901", "2900", "2902", Lamp.other])
            }
        }

        @Test(.page("cbperipheral/discoverdescriptors(for:)"))
        func `A characteristic without descriptors has an empty list`() async throws {
            try await explored { world, central, peripheral in
                let hours = try #require(central.characteristic(Lamp.hours))
                peripheral.discoverDescriptors(for: hours)
                await world.run(for: .seconds(1))
                #expect(central.calls == ["didDiscoverDescriptors \(Lamp.hours)"])
                #expect(hours.descriptors?.isEmpty == true)
            }
        }

        @Test(.page("cbcharacteristic/properties")) func `Properties are those of the declaration`() async throws {
            try await explored { _, central, _ in
                #expect(central.characteristic(Lamp.watts)?.properties == [.read, .indicate])
                #expect(central.characteristic(Lamp.label)?.properties == [.read, .write])
            }
        }

        @Test(.page("cbservice/isprimary")) func `Discovered services are primary`() async throws {
            try await explored { _, _, peripheral in
                #expect(peripheral.services?.allSatisfy(\.isPrimary) == true)
            }
        }

        @Test(.page("cbservice/peripheral")) func `A service has its peripheral`() async throws {
            try await explored { _, _, peripheral in #expect(peripheral.services?.first?.peripheral === peripheral) }
        }

        @Test(.page("cbcharacteristic/service")) func `A characteristic has its service`() async throws {
            try await explored { _, central, _ in
                #expect(central.characteristic(Lamp.hours)?.service?.uuid.uuidString == Lamp.meter)
            }
        }

        @Test(.page("cbperipheraldelegate/peripheral(_:didmodifyservices:)"))
        func `Changed services are reported, and not among the services any more`() async throws {
            try await explored("recovery/services_change") { world, central, peripheral in
                try world.perform(#"{"do": "change_services", "of": "strap", "remove": ["battery"]}"#)
                await world.run(for: .seconds(2))
                #expect(central.calls == ["didModifyServices"])
                #expect(central.invalidated.contains("180F"))
                let left = peripheral.services?.map(\.uuid.uuidString) ?? []
                #expect(!left.contains("180F") && left.contains("1801"))
            }
        }

        // MARK: Values

        @Test(.page("cbperipheral/readvalue(for:)-6u4sq")) func `A characteristic is read`() async throws {
            try await explored { world, central, peripheral in
                let level = try #require(central.characteristic(Lamp.level))
                #expect(level.value == nil)
                peripheral.readValue(for: level)
                await world.run(for: .seconds(1))
                #expect(central.calls == ["didUpdateValue \(Lamp.level)"])
                #expect(level.value == Data([40]))
            }
        }

        @Test(.page("cbcharacteristic/value")) func `A long value is read whole`() async throws {
            try await explored { world, central, peripheral in
                let label = try #require(central.characteristic(Lamp.label))
                peripheral.readValue(for: label)
                await world.run(for: .seconds(1))
                #expect(
                    label.value.map { $0.count > 200 && String(decoding: $0, as: UTF8.self).hasSuffix("rest of it.") }
                        == true)
            }
        }

        @Test(.page("cbperipheraldelegate/peripheral(_:didupdatevaluefor:error:)-1xyna"))
        func `A refused read has the peripheral's error, and keeps the value`() async throws {
            try await explored { world, central, peripheral in
                let level = try #require(central.characteristic(Lamp.level))
                peripheral.readValue(for: level)
                await world.run(for: .seconds(1))
                try world.perform(
                    ##"{"do": "att_error", "of": "lamp/light", "on": "read", "error": "unlikely_error"}"##)
                peripheral.readValue(for: level)
                await world.run(for: .seconds(1))
                #expect(central.lastATTError == .unlikelyError)
                #expect(level.value == Data([40]))
            }
        }

        @Test(.page("cbperipheral/writevalue(_:for:type:)")) func `A write with response is confirmed`() async throws {
            try await explored { world, central, peripheral in
                let level = try #require(central.characteristic(Lamp.level))
                peripheral.writeValue(Data([55]), for: level, type: .withResponse)
                peripheral.readValue(for: level)
                await world.run(for: .seconds(1))
                #expect(central.calls == ["didWriteValue \(Lamp.level)", "didUpdateValue \(Lamp.level)"])
                #expect(level.value == Data([55]))
            }
        }

        @Test(.page("cbperipheraldelegate/peripheral(_:didwritevaluefor:error:)-86kdx"))
        func `A refused write has the peripheral's error`() async throws {
            try await explored { world, central, peripheral in
                let lock = try #require(central.characteristic(Lamp.lock))
                peripheral.writeValue(Data([1]), for: lock, type: .withResponse)
                await world.run(for: .seconds(1))
                #expect(central.calls == ["didWriteValue \(Lamp.lock)"])
                #expect(central.lastATTError == .writeNotPermitted)
            }
        }

        @Test(.page("cbperipheral/writevalue(_:for:type:)"))
        func `A write without response is not confirmed`() async throws {
            try await explored { world, central, peripheral in
                let level = try #require(central.characteristic(Lamp.level))
                peripheral.writeValue(Data([66]), for: level, type: .withoutResponse)
                await world.run(for: .seconds(1))
                #expect(central.calls.isEmpty)
                peripheral.readValue(for: level)
                await world.run(for: .seconds(1))
                #expect(level.value == Data([66]))
            }
        }

        @Test(.page("cbcharacteristicproperties/writewithoutresponse"))
        func `Only a characteristic with the property takes writes without response`() async throws {
            try await explored("resting") { world, central, peripheral in
                let control = try #require(central.characteristic("2A39"))
                peripheral.writeValue(Data([1]), for: control, type: .withoutResponse)
                await world.run(for: .seconds(2))
                #expect(!world.events.contains(#""event": "written", "of": "strap/heart_rate/control_point""#))
                #expect(world.warnings.contains { $0.contains("ignoring response-less write") })
                peripheral.writeValue(Data([1]), for: control, type: .withResponse)
                await world.run(for: .seconds(2))
                #expect(world.events.contains(#""event": "written", "of": "strap/heart_rate/control_point""#))
            }
        }

        @Test(.page("cbperipheral/maximumwritevaluelength(for:)"))
        func `The maximum length depends on the type and the MTU`() async throws {
            try await explored { _, _, peripheral in
                #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 182)
                #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
            }
        }

        @Test(.page("cbperipheral/maximumwritevaluelength(for:)"))
        func `A long value is written with response`() async throws {
            try await explored { world, central, peripheral in
                let label = try #require(central.characteristic(Lamp.label))
                let text = Data(String(repeating: "long ", count: 80).utf8)
                peripheral.writeValue(text, for: label, type: .withResponse)
                peripheral.readValue(for: label)
                await world.run(for: .seconds(2))
                #expect(central.errors.last.flatMap(\.self) == nil)
                #expect(label.value == text)
            }
        }

        @Test(.page("cbperipheral/cansendwritewithoutresponse"))
        func `When there is no room for a write, the delegate is called once there is`() async throws {
            try await explored { world, central, peripheral in
                let level = try #require(central.characteristic(Lamp.level))
                var sent = 0
                while peripheral.canSendWriteWithoutResponse, sent < 1000 {
                    sent += 1
                    peripheral.writeValue(Data([UInt8(sent)]), for: level, type: .withoutResponse)
                }
                #expect((2..<1000).contains(sent))
                await world.run(for: .seconds(2))
                #expect(central.calls == ["isReady"])
                #expect(peripheral.canSendWriteWithoutResponse)
                peripheral.readValue(for: level)
                await world.run(for: .seconds(1))
                #expect(level.value == Data([UInt8(sent)]))
            }
        }

        @Test(.page("cbdescriptor/value")) func `The type of a descriptor's value depends on its UUID`() async throws {
            try await explored { world, central, peripheral in
                let level = try #require(central.characteristic(Lamp.level))
                peripheral.discoverDescriptors(for: level)
                await world.run(for: .seconds(1))
                let descriptors = try #require(level.descriptors)
                for descriptor in descriptors { peripheral.readValue(for: descriptor) }
                await world.run(for: .seconds(2))
                #expect(descriptors[0].value as? String == "Brightness")
                #expect((descriptors[1].value as? NSNumber)?.intValue == 0)
                #expect((descriptors[2].value as? NSNumber)?.intValue == 0)
                #expect(descriptors[3].value as? Data == Data([1, 2]))
                #expect(descriptors[0].characteristic === level)
            }
        }

        @Test(.page("cbperipheral/writevalue(_:for:)")) func `A descriptor is written`() async throws {
            try await explored { world, central, peripheral in
                let level = try #require(central.characteristic(Lamp.level))
                peripheral.discoverDescriptors(for: level)
                await world.run(for: .seconds(1))
                let descriptor = try #require(level.descriptors?.first)
                peripheral.writeValue(Data("Warmth".utf8), for: descriptor)
                peripheral.readValue(for: descriptor)
                await world.run(for: .seconds(1))
                #expect(central.calls.suffix(2) == ["didWriteDescriptor 2901", "didUpdateDescriptor 2901"])
                #expect(descriptor.value as? String == "Warmth")
            }
        }

        @Test(.page("cbperipheral/writevalue(_:for:)"))
        func `A Client Characteristic Configuration cannot be written so`() async throws {
            try await explored { world, central, peripheral in
                let level = try #require(central.characteristic(Lamp.level))
                peripheral.discoverDescriptors(for: level)
                await world.run(for: .seconds(1))
                central.clear()
                peripheral.writeValue(Data([1, 0]), for: try #require(level.descriptors?[2]))
                await world.run(for: .seconds(3))
                #expect(central.calls.isEmpty)
                #expect(world.warnings.contains { $0.contains("setNotifyValue") })
            }
        }
    }
}
