import CoreBluetooth
import Foundation
import LubdubTesting
import Testing

extension CoreBluetoothTests {
    /// State, services and advertising of a peripheral manager.
    @Suite @MainActor struct PeripheralManagerTests {
        @Test(.page("cbperipheralmanagerdelegate/peripheralmanagerdidupdatestate(_:)"))
        func `The state is unknown first, then poweredOn`() async throws {
            try await withScenario(nobody) { world in
                let sensor = Sensor()
                #expect(sensor.manager.state == .unknown)
                await world.run(for: .seconds(1))
                #expect(sensor.calls == ["state poweredOn"])
            }
        }

        @Test(.page("cbperipheralmanagerdelegate/peripheralmanagerdidupdatestate(_:)"))
        func `Commands before poweredOn are ignored, with a warning`() async throws {
            try await withScenario(nobody) { world in
                let sensor = Sensor()
                sensor.manager.add(Services().heart)
                sensor.manager.startAdvertising(nil)
                await world.run(for: .seconds(1))
                #expect(sensor.calls == ["state poweredOn"])
                #expect(!sensor.manager.isAdvertising)
                let warning = try #require(world.warnings.first)
                #expect(warning.hasPrefix("API MISUSE: <") && warning.hasSuffix("while in the powered on state"))
            }
        }

        @Test(.page("cbperipheralmanagerdelegate/peripheralmanagerdidupdatestate(_:)"))
        func `When Bluetooth is switched off, nobody is connected; afterwards, the sensor advertises again`()
            async throws
        {
            let services = Services()
            try await served(services) { world, sensor, central, peripheral in
                peripheral.setNotifyValue(true, for: try #require(central.characteristic("2A37")))
                await world.run(for: .seconds(1))
                #expect(services.rate.subscribedCentrals?.count == 1)
                try world.do("power_off", of: "client", for: .seconds(5))
                await world.run(for: .seconds(1))
                #expect(sensor.calls.last == "state poweredOff")
                #expect(!sensor.manager.isAdvertising)
                #expect(services.rate.subscribedCentrals?.isEmpty == true)
                await world.run(until: { central.isReady }, within: .seconds(20))
                #expect(sensor.manager.isAdvertising)
            }
        }

        @Test(.page("cbperipheralmanager/delegate")) func `The manager does not retain its delegate`() async throws {
            try await withScenario(nobody) { world in
                let sensor = Sensor()
                sensor.stop()
                let manager = CBPeripheralManager(delegate: Sensor(), queue: nil)
                #expect(manager.delegate == nil)
                await world.run(for: .seconds(1))
                #expect(manager.state == .poweredOn)
            }
        }

        // MARK: Services

        @Test(.page("cbperipheralmanagerdelegate/peripheralmanager(_:didadd:error:)"))
        func `A published service is reported, and centrals discover it`() async throws {
            try await served { world, sensor, central, peripheral in
                #expect(peripheral.services?.map(\.uuid.uuidString).contains("180D") == true)
                #expect(central.characteristic("2A37")?.properties == .notify)
                #expect(central.characteristic("2A39")?.properties == [.read, .write, .writeWithoutResponse])
                #expect(sensor.errors.allSatisfy { $0 == nil })
            }
        }

        @Test(.page("cberror-swift.struct/uuidnotallowed"))
        func `The system's services cannot be published`() async throws {
            try await withScenario(nobody) { world in
                let sensor = Sensor { sensor, call in
                    guard call == "state poweredOn" else { return }
                    sensor.manager.add(CBMutableService(type: CBUUID(string: "1800"), primary: true))
                }
                await world.run(for: .seconds(1))
                #expect(sensor.calls.last == "didAdd 1800")
                #expect(sensor.lastError == .uuidNotAllowed)
            }
        }

        @Test(.page("cbmutablecharacteristic/init(type:properties:value:permissions:)"))
        func `A characteristic with a value is read-only`() async throws {
            try await withScenario(nobody) { world in
                let service = CBMutableService(type: Services.service, primary: true)
                service.characteristics = [
                    CBMutableCharacteristic(
                        type: CBUUID(string: "2A39"), properties: [.read, .write], value: Data([1]),
                        permissions: [.readable, .writeable])
                ]
                let sensor = Sensor { if $1 == "state poweredOn" { $0.manager.add(service) } }
                await world.run(for: .seconds(1))
                #expect(sensor.lastError == .invalidParameters)
                #expect(world.warnings == ["API MISUSE: Characteristics with cached values must be read-only"])
            }
        }

        @Test(
            .page("cbcharacteristicproperties/broadcast"),
            arguments: [
                CBCharacteristicProperties.broadcast, .extendedProperties,
            ])
        func `These properties are not for local characteristics`(
            property: CBCharacteristicProperties
        ) async throws {
            try await withScenario(nobody) { world in
                let service = CBMutableService(type: Services.service, primary: true)
                service.characteristics = [
                    CBMutableCharacteristic(
                        type: CBUUID(string: "2A37"), properties: [.notify, property], value: nil, permissions: [])
                ]
                let sensor = Sensor { if $1 == "state poweredOn" { $0.manager.add(service) } }
                await world.run(for: .seconds(1))
                #expect(sensor.lastError == .invalidParameters)
            }
        }

        @Test(.page("cbmutabledescriptor"))
        func `Centrals read a user description and a presentation format`() async throws {
            let services = Services()
            let text = CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Reset")
            let format = CBMutableDescriptor(type: CBUUID(string: "2904"), value: Data([4, 0, 0, 0x27, 1, 0, 0]))
            services.control.descriptors = [text, format]
            try await served(services) { world, sensor, central, peripheral in
                let control = try #require(central.characteristic("2A39"))
                peripheral.discoverDescriptors(for: control)
                await world.run(for: .seconds(1))
                #expect(control.descriptors?.map(\.uuid.uuidString) == ["2901", "2904"])
                for descriptor in control.descriptors ?? [] { peripheral.readValue(for: descriptor) }
                await world.run(for: .seconds(1))
                #expect(control.descriptors?.first?.value as? String == "Reset")
                #expect(control.descriptors?.last?.value as? Data == Data([4, 0, 0, 0x27, 1, 0, 0]))
            }
        }

        @Test(.page("cbmutabledescriptor")) func `Other descriptors cannot be published`() async throws {
            try await withScenario(nobody) { world in
                let services = Services()
                services.rate.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2902"), value: Data([0, 0]))]
                let sensor = Sensor { if $1 == "state poweredOn" { $0.manager.add(services.heart) } }
                await world.run(for: .seconds(1))
                #expect(sensor.lastError == .invalidParameters)
            }
        }

        @Test(.page("cbmutableservice/includedservices"))
        func `An included service is published before the service that includes it`() async throws {
            let meter = CBMutableService(type: CBUUID(string: Lamp.meter), primary: false)
            let services = Services()
            services.heart.includedServices = [meter]
            try await withScenario(nobody) { world in
                let early = Sensor { if $1 == "state poweredOn" { $0.manager.add(services.heart) } }
                await world.run(for: .seconds(1))
                #expect(early.lastError == .invalidParameters)
                let sensor = world.onAnotherPhone {
                    services.sensor { if $1 == "state poweredOn" { $0.manager.add(meter) } }
                }
                await world.run(for: .seconds(1))
                sensor.manager.add(services.heart)
                let central = reader()
                await world.run(until: { central.isReady }, within: .seconds(10))
                let heart = try #require(central.peripheral?.services?.first { $0.uuid == Services.service })
                central.peripheral?.discoverIncludedServices(nil, for: heart)
                await world.run(for: .seconds(1))
                #expect(heart.includedServices?.map(\.uuid.uuidString) == [Lamp.meter])
            }
        }

        @Test(.page("cbperipheral/discoverincludedservices(_:for:)"))
        func `A service that an included service includes can be used`() async throws {
            let (inner, meter) = (
                CBMutableService(type: CBUUID(string: Lamp.light), primary: false),
                CBMutableService(type: CBUUID(string: Lamp.meter), primary: false)
            )
            inner.characteristics = [
                CBMutableCharacteristic(
                    type: CBUUID(string: Lamp.level), properties: [.read], value: Data([7]), permissions: [.readable])
            ]
            meter.includedServices = [inner]
            let services = Services()
            services.heart.includedServices = [meter]
            try await withScenario(nobody) { world in
                let sensor = world.onAnotherPhone {
                    services.sensor { sensor, call in
                        guard call == "state poweredOn" else { return }
                        for service in [inner, meter] { sensor.manager.add(service) }
                    }
                }
                await world.run(for: .seconds(1))
                sensor.manager.add(services.heart)
                let central = reader()
                await world.run(until: { central.isReady }, within: .seconds(10))
                var service = try #require(central.peripheral?.services?.first { $0.uuid == Services.service })
                for _ in 0..<2 {
                    central.peripheral?.discoverIncludedServices(nil, for: service)
                    await world.run(for: .seconds(1))
                    service = try #require(service.includedServices?.first)
                }
                #expect(service.uuid.uuidString == Lamp.light)
                central.peripheral?.discoverCharacteristics(nil, for: service)
                await world.run(for: .seconds(1))
                let level = try #require(service.characteristics?.first)
                central.peripheral?.readValue(for: level)
                await world.run(for: .seconds(1))
                #expect(level.value == Data([7]))
                #expect(world.warnings.isEmpty)
            }
        }

        @Test(.page("cbperipheralmanager/remove(_:)"))
        func `A removed service is modified for connected centrals`() async throws {
            let services = Services()
            try await served(services) { world, sensor, central, peripheral in
                sensor.manager.remove(services.heart)
                await world.run(until: { central.count("didModifyServices") == 1 }, within: .seconds(5))
                #expect(central.invalidated == ["180D"])
                peripheral.discoverServices(nil)
                await world.run(for: .seconds(1))
                #expect(peripheral.services?.map(\.uuid.uuidString).contains("180D") == false)
            }
        }

        @Test(.page("cbperipheralmanager/removeallservices()"))
        func `All services can be removed, and one added again`() async throws {
            let services = Services()
            try await served(services) { world, sensor, central, peripheral in
                sensor.manager.removeAllServices()
                sensor.manager.add(services.heart)
                await world.run(for: .seconds(2))
                #expect(sensor.calls == ["didAdd 180D"] && sensor.lastError == nil)
                peripheral.discoverServices([Services.service])
                await world.run(for: .seconds(1))
                #expect(peripheral.services?.count { $0.uuid == Services.service } == 1)
                #expect(central.invalidated == ["180D"])
            }
        }

        // MARK: Advertising

        @Test(.page("cbperipheralmanager/startadvertising(_:)"))
        func `Centrals receive the name and the services, and no other keys`() async throws {
            try await withScenario(nobody) { world in
                let sensor = world.onAnotherPhone {
                    Sensor { sensor, call in
                        guard call == "state poweredOn" else { return }
                        sensor.manager.startAdvertising([
                            CBAdvertisementDataLocalNameKey: "Lubdub S",
                            CBAdvertisementDataServiceUUIDsKey: [Services.service, CBUUID(string: Lamp.light)],
                            CBAdvertisementDataManufacturerDataKey: Data([0x4C, 0, 1]),
                            CBAdvertisementDataTxPowerLevelKey: 4,
                        ])
                    }
                }
                let central = Central {
                    if $1 == "state poweredOn" { $0.manager.scanForPeripherals(withServices: nil) }
                }
                await world.run(until: { !central.advertisements.isEmpty }, within: .seconds(5))
                let data = try #require(central.advertisements.first)
                #expect(sensor.calls.last == "didStartAdvertising" && sensor.lastError == nil)
                #expect(sensor.manager.isAdvertising)
                #expect(data[CBAdvertisementDataLocalNameKey] as? String == "Lubdub S")
                let uuids = data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
                #expect(uuids == [Services.service, CBUUID(string: Lamp.light)])
                #expect(data[CBAdvertisementDataManufacturerDataKey] == nil)
                #expect(data[CBAdvertisementDataTxPowerLevelKey] == nil)
            }
        }

        @Test(.page("cbperipheralmanager/startadvertising(_:)"))
        func `A name without room next to the services has 10 octets in the scan response`() async throws {
            try await withScenario(nobody) { world in
                let sensor = world.onAnotherPhone {
                    Sensor { sensor, call in
                        guard call == "state poweredOn" else { return }
                        sensor.manager.startAdvertising([
                            CBAdvertisementDataLocalNameKey: "Lubdub S is a long name",
                            CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: Lamp.light)],
                        ])
                    }
                }
                let central = Central {
                    if $1 == "state poweredOn" { $0.manager.scanForPeripherals(withServices: nil) }
                }
                await world.run(until: { !central.advertisements.isEmpty }, within: .seconds(5))
                #expect(central.advertisements.first?[CBAdvertisementDataLocalNameKey] as? String == "Lubdub S i")
                #expect(sensor.lastError == nil)
            }
        }

        @Test(.page("cberror-swift.struct/alreadyadvertising"))
        func `Advertising starts once`() async throws {
            try await served { world, sensor, central, peripheral in
                sensor.manager.startAdvertising(nil)
                await world.run(for: .seconds(1))
                #expect(sensor.calls == ["didStartAdvertising"])
                #expect(sensor.lastError == .alreadyAdvertising)
                #expect(sensor.manager.isAdvertising)
            }
        }

        @Test(.page("cbperipheralmanager/stopadvertising()"))
        func `After stopAdvertising, centrals do not discover the sensor`() async throws {
            try await withScenario(nobody) { world in
                let sensor = world.onAnotherPhone { Services().sensor() }
                await world.run(for: .seconds(1))
                sensor.manager.stopAdvertising()
                #expect(!sensor.manager.isAdvertising)
                await world.run(for: .seconds(1))
                let central = reader()
                await world.run(for: .seconds(5))
                #expect(central.calls == ["state poweredOn"])
            }
        }

        @Test(.page("cbperipheralmanager/startadvertising(_:)"))
        func `A second central can connect, since the sensor advertises on`() async throws {
            let services = Services()
            try await served(services) { world, sensor, first, peripheral in
                let second = world.onAnotherPhone { reader() }
                await world.run(until: { second.isReady }, within: .seconds(10))
                #expect(peripheral.state == .connected)
                for central in [first, second] {
                    let rate = try #require(central.characteristic("2A37"))
                    central.peripheral?.setNotifyValue(true, for: rate)
                }
                await world.run(for: .seconds(1))
                #expect(services.rate.subscribedCentrals?.count == 2)
                let chosen = try #require(services.rate.subscribedCentrals?.first)
                #expect(sensor.manager.updateValue(Data([0, 61]), for: services.rate, onSubscribedCentrals: [chosen]))
                await world.run(for: .seconds(1))
                #expect(first.values + second.values == [Data([0, 61])])
                #expect(sensor.manager.updateValue(Data([0, 62]), for: services.rate, onSubscribedCentrals: nil))
                await world.run(for: .seconds(1))
                #expect(first.values.last == Data([0, 62]) && second.values.last == Data([0, 62]))
            }
        }

        @Test(.page("cbmanager")) func `One phone is a central and a peripheral`() async throws {
            try await withScenario("resting") { world in
                let services = Services()
                let sensor = services.sensor()
                let central = Central.explorer()
                await world.run(until: { central.isReady }, within: .seconds(10))
                let other = world.onAnotherPhone { reader() }
                other.retains = true
                await world.run(until: { other.advertisements.count > 0 }, within: .seconds(10))
                #expect(central.peripheral?.name == "Lubdub HRM")
                #expect(sensor.manager.isAdvertising)
            }
        }

        @Test(.page("cbperipheralmanager")) func `A released manager leaves nothing behind`() async throws {
            try await withScenario(nobody) { world in
                for _ in 0..<10 {
                    let sensor = Services().sensor()
                    await world.run(for: .milliseconds(100))
                    sensor.stop()
                    await world.run(for: .milliseconds(100))
                }
                #expect(world.managerCount == 0)
                let sensor = Services().sensor()
                await world.run(for: .seconds(1))
                #expect(sensor.manager.isAdvertising)
            }
        }
    }
}
