import CoreBluetooth
import Foundation
import LubdubTesting
import Testing

extension CoreBluetoothTests {
    /// What centrals request of a peripheral manager, and what it sends them.
    @Suite @MainActor struct RequestTests {
        // MARK: Reading

        @Test(.page("cbmutablecharacteristic/init(type:properties:value:permissions:)"))
        func `A value that the characteristic has is read without the app`() async throws {
            try await served { world, sensor, central, peripheral in
                let location = try #require(central.characteristic("2A38"))
                peripheral.readValue(for: location)
                await world.run(for: .seconds(1))
                #expect(location.value == Data([1]))
                #expect(sensor.calls.isEmpty)
            }
        }

        @Test(.page("cbperipheralmanager/respond(to:withresult:)"))
        func `The app answers a request to read when it wants`() async throws {
            try await served { world, sensor, central, peripheral in
                let control = try #require(central.characteristic("2A39"))
                peripheral.readValue(for: control)
                await world.run(for: .seconds(5))
                #expect(sensor.calls == ["didReceiveRead 2A39"])
                #expect(central.calls.isEmpty)
                let request = try #require(sensor.requests.first)
                #expect(request.offset == 0 && request.value == nil)
                request.value = Data([7])
                sensor.manager.respond(to: request, withResult: .success)
                await world.run(for: .seconds(1))
                #expect(central.calls == ["didUpdateValue 2A39"])
                #expect(control.value == Data([7]))
            }
        }

        @Test(.page("cbperipheralmanager/respond(to:withresult:)"))
        func `The central receives the app's error`() async throws {
            try await served { world, sensor, central, peripheral in
                sensor.reaction = { sensor, call in
                    guard call.hasPrefix("didReceiveRead"), let request = sensor.requests.last else { return }
                    sensor.manager.respond(to: request, withResult: .insufficientResources)
                }
                peripheral.readValue(for: try #require(central.characteristic("2A39")))
                await world.run(for: .seconds(1))
                #expect(central.lastATTError == .insufficientResources)
            }
        }

        @Test(.page("cbattrequest/offset")) func `A long value is read in parts, from offsets on`() async throws {
            let whole = Data((0..<400).map { UInt8(truncatingIfNeeded: $0) })
            try await served { world, sensor, central, peripheral in
                sensor.reaction = { sensor, call in
                    guard call.hasPrefix("didReceiveRead"), let request = sensor.requests.last else { return }
                    request.value = whole.suffix(from: request.offset)
                    sensor.manager.respond(to: request, withResult: .success)
                }
                let control = try #require(central.characteristic("2A39"))
                peripheral.readValue(for: control)
                await world.run(for: .seconds(2))
                #expect(control.value == whole)
                #expect(sensor.requests.map(\.offset) == [0, 184, 368])
            }
        }

        // MARK: Writing

        @Test(.page("cbperipheralmanagerdelegate/peripheralmanager(_:didreceivewrite:)"))
        func `A write is confirmed when the app has answered`() async throws {
            try await served { world, sensor, central, peripheral in
                let control = try #require(central.characteristic("2A39"))
                peripheral.writeValue(Data([1, 2]), for: control, type: .withResponse)
                await world.run(for: .seconds(3))
                #expect(sensor.calls == ["didReceiveWrite 1"] && central.calls.isEmpty)
                let request = try #require(sensor.requests.first)
                #expect(request.value == Data([1, 2]))
                #expect(request.characteristic.uuid.uuidString == "2A39")
                sensor.manager.respond(to: request, withResult: .success)
                await world.run(for: .seconds(1))
                #expect(central.calls == ["didWriteValue 2A39"] && central.errors.last.flatMap(\.self) == nil)
            }
        }

        @Test(.page("cbperipheralmanagerdelegate/peripheralmanager(_:didreceivewrite:)"))
        func `The parts of a long value come together, and have one answer`() async throws {
            try await served { world, sensor, central, peripheral in
                let control = try #require(central.characteristic("2A39"))
                let whole = Data((0..<300).map { UInt8(truncatingIfNeeded: $0) })
                peripheral.writeValue(whole, for: control, type: .withResponse)
                await world.run(for: .seconds(2))
                #expect(sensor.calls == ["didReceiveWrite 2"])
                #expect(sensor.requests.map(\.offset) == [0, 180])
                #expect(sensor.requests.compactMap(\.value).reduce(Data(), +) == whole)
                sensor.manager.respond(to: try #require(sensor.requests.first), withResult: .invalidOffset)
                await world.run(for: .seconds(1))
                #expect(central.calls == ["didWriteValue 2A39"])
                #expect(central.lastATTError == .invalidOffset)
            }
        }

        @Test(.page("cbcharacteristicwritetype/withoutresponse"))
        func `A write without response needs no answer`() async throws {
            try await served { world, sensor, central, peripheral in
                let control = try #require(central.characteristic("2A39"))
                peripheral.writeValue(Data([1]), for: control, type: .withoutResponse)
                peripheral.writeValue(Data([2]), for: control, type: .withoutResponse)
                await world.run(for: .seconds(1))
                #expect(sensor.requests.map(\.value) == [Data([1]), Data([2])])
                sensor.manager.respond(to: try #require(sensor.requests.first), withResult: .success)
                peripheral.readValue(for: try #require(central.characteristic("2A38")))
                await world.run(for: .seconds(1))
                #expect(central.calls == ["didUpdateValue 2A38"])
            }
        }

        @Test(.page("cbattributepermissions")) func `A value without permission is not written`() async throws {
            let services = Services()
            services.control.permissions = .readable
            try await served(services) { world, sensor, central, peripheral in
                let control = try #require(central.characteristic("2A39"))
                peripheral.writeValue(Data([1]), for: control, type: .withResponse)
                await world.run(for: .seconds(1))
                #expect(central.lastATTError == .writeNotPermitted && sensor.calls.isEmpty)
            }
        }

        // MARK: Subscriptions

        @Test(.page("cbperipheralmanagerdelegate/peripheralmanager(_:central:didsubscribeto:)"))
        func `The app knows who has subscribed`() async throws {
            let services = Services()
            try await served(services) { world, sensor, central, peripheral in
                let rate = try #require(central.characteristic("2A37"))
                peripheral.setNotifyValue(true, for: rate)
                await world.run(for: .seconds(1))
                #expect(sensor.calls == ["didSubscribe 2A37"])
                #expect(services.rate.subscribedCentrals == [try #require(sensor.central)])
                peripheral.setNotifyValue(false, for: rate)
                await world.run(for: .seconds(1))
                #expect(sensor.calls.last == "didUnsubscribe 2A37")
                #expect(services.rate.subscribedCentrals?.isEmpty == true)
            }
        }

        @Test(.page("cbperipheralmanagerdelegate/peripheralmanager(_:central:didunsubscribefrom:)"))
        func `A central that disconnects has unsubscribed`() async throws {
            try await served { world, sensor, central, peripheral in
                peripheral.setNotifyValue(true, for: try #require(central.characteristic("2A37")))
                await world.run(for: .seconds(1))
                central.manager.cancelPeripheralConnection(peripheral)
                await world.run(for: .seconds(1))
                #expect(sensor.calls == ["didSubscribe 2A37", "didUnsubscribe 2A37"])
            }
        }

        @Test(.page("cbperipheralmanager/updatevalue(_:for:onsubscribedcentrals:)"))
        func `An update reaches subscribers only`() async throws {
            let services = Services()
            try await served(services) { world, sensor, central, peripheral in
                #expect(sensor.manager.updateValue(Data([0, 60]), for: services.rate, onSubscribedCentrals: nil))
                await world.run(for: .seconds(1))
                #expect(central.calls.isEmpty)
                peripheral.setNotifyValue(true, for: try #require(central.characteristic("2A37")))
                await world.run(for: .seconds(1))
                #expect(sensor.manager.updateValue(Data([0, 61]), for: services.rate, onSubscribedCentrals: nil))
                await world.run(for: .seconds(1))
                #expect(central.values == [Data([0, 61])])
            }
        }

        @Test(.page("cbcentral/maximumupdatevaluelength"))
        func `An update has at most maximumUpdateValueLength octets`() async throws {
            let services = Services()
            try await served(services) { world, sensor, central, peripheral in
                peripheral.setNotifyValue(true, for: try #require(central.characteristic("2A37")))
                await world.run(for: .seconds(1))
                let maximum = try #require(sensor.central?.maximumUpdateValueLength)
                #expect(maximum == 182)
                _ = sensor.manager.updateValue(Data(count: 300), for: services.rate, onSubscribedCentrals: nil)
                await world.run(for: .seconds(1))
                #expect(central.values == [Data(count: maximum)])
            }
        }

        @Test(.page("cbperipheralmanagerdelegate/peripheralmanagerisready(toupdatesubscribers:)"))
        func `A full queue refuses updates until it is ready again`() async throws {
            let services = Services()
            try await served(services) { world, sensor, central, peripheral in
                peripheral.setNotifyValue(true, for: try #require(central.characteristic("2A37")))
                await world.run(for: .seconds(1))
                sensor.clear()
                var sent = 0
                let send = {
                    let value = Data([UInt8(sent)]) + Data(count: 100)
                    while sent < 100, sensor.manager.updateValue(value, for: services.rate, onSubscribedCentrals: nil) {
                        sent += 1
                    }
                }
                sensor.reaction = { if $1 == "isReady" { send() } }
                send()
                #expect(sent < 100)
                await world.run(until: { sent == 100 }, within: .seconds(20))
                await world.run(for: .seconds(3))
                #expect(sensor.count("isReady") >= 2)
                #expect(central.values.count == 100)
            }
        }

        @Test(.page("cbcharacteristicproperties/indicate"))
        func `Indications are confirmed one after the other`() async throws {
            let services = Services()
            services.rate.properties = .indicate
            try await served(services) { world, sensor, central, peripheral in
                peripheral.setNotifyValue(true, for: try #require(central.characteristic("2A37")))
                await world.run(for: .seconds(1))
                for bpm: UInt8 in 60..<70 {
                    _ = sensor.manager.updateValue(Data([0, bpm]), for: services.rate, onSubscribedCentrals: nil)
                }
                await world.run(for: .seconds(3))
                #expect(central.values == (60..<70).map { Data([0, $0]) })
            }
        }

        @Test(.page("cbperipheralmanager/setdesiredconnectionlatency(_:for:)"))
        func `A higher latency makes the connection slower`() async throws {
            let services = Services()
            try await served(services) { world, sensor, central, peripheral in
                peripheral.setNotifyValue(true, for: try #require(central.characteristic("2A37")))
                await world.run(for: .seconds(1))
                let location = try #require(central.characteristic("2A38"))
                var durations: [Duration] = []
                for latency in [CBPeripheralManagerConnectionLatency.low, .high] {
                    let subscriber = try #require(sensor.central)
                    sensor.manager.setDesiredConnectionLatency(latency, for: subscriber)
                    await world.run(for: .seconds(10))
                    let begin = world.now
                    central.clear()
                    peripheral.readValue(for: location)
                    await world.run(until: { central.calls == ["didUpdateValue 2A38"] }, within: .seconds(5))
                    durations.append(world.now - begin)
                }
                #expect(durations[1] > durations[0] + .milliseconds(200))
            }
        }

        // MARK: Pairing

        @Test(.page("cbattributepermissions/readencryptionrequired"))
        func `A value that needs encryption makes the central pair`() async throws {
            let services = Services()
            services.control.permissions = .readEncryptionRequired
            try await served(services) { world, sensor, central, peripheral in
                sensor.reaction = { sensor, call in
                    guard call.hasPrefix("didReceiveRead"), let request = sensor.requests.last else { return }
                    request.value = Data([9])
                    sensor.manager.respond(to: request, withResult: .success)
                }
                let control = try #require(central.characteristic("2A39"))
                peripheral.readValue(for: control)
                await world.run(for: .seconds(5))
                #expect(control.value == Data([9]))
                #expect(sensor.requests.count == 1)
            }
        }

        @Test(.page("cbcharacteristicproperties/notifyencryptionrequired"))
        func `Only a trusted central can subscribe`() async throws {
            let services = Services()
            services.rate.properties = .notifyEncryptionRequired
            try await served(services) { world, sensor, central, peripheral in
                let rate = try #require(central.characteristic("2A37"))
                #expect(rate.properties == .notify)
                peripheral.setNotifyValue(true, for: rate)
                await world.run(until: { rate.isNotifying }, within: .seconds(10))
                _ = sensor.manager.updateValue(Data([0, 60]), for: services.rate, onSubscribedCentrals: nil)
                await world.run(for: .seconds(1))
                #expect(central.values == [Data([0, 60])])
            }
        }
    }
}
