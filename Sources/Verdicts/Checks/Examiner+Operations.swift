import ATT
import Basics
package import Bluetooth
package import Devices
package import GATT
import HCI
import LEHost
import ScenarioModel

// The operations that checks consist of.
extension Examiner {
    package var characteristics: [DiscoveredCharacteristic] { services.flatMap(\.characteristics) }

    /// A handle that no attribute has, the highest one; skips the check if every handle is in use.
    ///
    /// Find Information lists attributes that discovery does not find: a secondary service that no other includes.
    package mutating func unusedHandle() throws(CheckExit) -> UInt16 {
        if try listed(in: HandleRange(.max, .max)).isEmpty { return .max }
        let used = Set(try listed(in: .all))
        guard let free = (1...UInt16.max).last(where: { !used.contains($0) }) else {
            throw .notApplicable("every handle is in use")
        }
        return free
    }

    /// The handles of the attributes in a range; of those that were discovered, if the server rejects Find Information.
    private mutating func listed(in range: HandleRange) throws(CheckExit) -> [UInt16] {
        if case .success(.descriptors(let found)) = try result(of: .discoverDescriptors(range), "Find Information") {
            return found.map(\.handle)
        }
        let known = services.flatMap { [$0.range.first] } + characteristics.flatMap(\.handles)
        return known.filter(range.contains)
    }

    package borrowing func find(_ uuid: UUID, of service: UUID) -> DiscoveredCharacteristic? {
        let found = services.filter { $0.uuid == service }
        return (found.first(where: \.isPrimary) ?? found.first)?.characteristics.first { $0.uuid == uuid }
    }

    /// The characteristic that a check's prerequisites include.
    package func characteristic(_ uuid: UUID, of service: UUID) throws(CheckExit) -> DiscoveredCharacteristic {
        guard let found = find(uuid, of: service) else {
            throw .inconclusive("\(service.name) has no \(uuid.name)")
        }
        return found
    }

    /// A fail at the present instant; a packet with the octets of `evidence` shows what was seen.
    package func failure(expected: String, seen: String, evidence: [UInt8] = []) -> CheckExit {
        .failed(Finding(expected: expected, seen: seen, instant: now, evidence: evidence))
    }

    /// Fails unless the condition holds.
    package func expect(
        _ isSo: Bool, _ expected: String, seen: @autoclosure () -> String, evidence: @autoclosure () -> [UInt8] = []
    ) throws(CheckExit) {
        guard isSo else { throw failure(expected: expected, seen: seen(), evidence: evidence()) }
    }

    /// Runs a procedure, and fails if no answer arrives.
    package mutating func result(
        of procedure: Procedure, _ description: String
    ) throws(CheckExit) -> Result<Procedure.Outcome, Procedure.Failure> {
        guard connection != nil else { throw disconnected(during: description) }
        let answer = ask(procedure)
        switch answer {
        case .failure(.disconnected)?, nil: throw disconnectedFailure(instead: description)
        case .failure(.bearerLost)?:
            throw failure(expected: "an answer to \(description) within 30 s", seen: "none")
        case .failure(.refused)?, .success?: return answer ?? .failure(.disconnected)
        case .failure(.unavailable(let why))?: throw .skipped("\(description) is not possible: \(why)")
        case .failure(.valueTooLong(let count))?:
            throw .skipped("\(description) is not possible: \(count) octets do not fit into a PDU of \(mtu)")
        case .failure(.tooMuch)? where procedure.isDiscovery:
            throw .skipped("\(description) is not possible: \(Self.tooMany)")
        case .failure(let failure)?:
            throw self.failure(expected: "a well-formed answer to \(description)", seen: "\(failure)")
        }
    }

    /// A limit of Lubdub, not of servers.
    static let tooMany = "Lubdub discovers at most \(Client.maximumDiscovered) attributes of a peripheral"

    /// A fail if the peripheral disconnected instead of answering; inconclusive if the cause is unknown.
    package func disconnectedFailure(instead description: String) -> CheckExit {
        // Some hosts do not report the reason of a disconnection.
        guard latestLink.end != .connectionTimeout, latestLink.end != .unspecified else {
            return disconnected(during: description)
        }
        return failure(expected: "an answer to \(description)", seen: "the connection ended: \(endReason)")
    }

    /// Why the last connection ended.
    var endReason: String { latestLink.end.map { "\($0)" } ?? "reason unknown" }

    /// Inconclusive: the connection ended before the check could decide.
    package func disconnected(during description: String) -> CheckExit {
        let known =
            latestLink.supervisionTimeout > .zero
            ? "; supervision timeout \(latestLink.supervisionTimeout.formatted)" : ""
        return .inconclusive("the connection ended during \(description): \(endReason)\(known)")
    }

    /// The value of an attribute; an Error Response is a fail.
    package mutating func read(_ handle: UInt16, _ name: String) throws(CheckExit) -> [UInt8] {
        switch try resultSecurely(of: .readLong(handle: handle), "a read of \(name)") {
        case .success(.value(let octets)): return octets
        case .failure(.refused(let error, _)):
            try skipIfUnpaired(error, name)
            throw failure(expected: "the value of \(name)", seen: "\(error)")
        default: throw failure(expected: "the value of \(name)", seen: "another answer")
        }
    }

    /// The value of a characteristic; an Error Response is a fail.
    package mutating func read(_ uuid: UUID, of service: UUID) throws(CheckExit) -> [UInt8] {
        try read(characteristic(uuid, of: service).valueHandle, uuid.name)
    }

    /// A peripheral may require pairing for any attribute.  Core 6.0, Vol 3, Part C, section 10.
    package func skipIfUnpaired(_ error: ATTError, _ name: String) throws(CheckExit) {
        guard ATTError.securityErrors.contains(error) else { return }
        throw .skipped("\(name) requires more security (\(error)); \(security.demand.description)")
    }

    /// The whole values, by handle, that can be read.
    package mutating func wholeValues(_ handles: [UInt16]) throws(CheckExit) -> [UInt16: [UInt8]] {
        var values: [UInt16: [UInt8]] = [:]
        for handle in handles {
            let answer = try result(of: .readLong(handle: handle), "a read of handle \(handle.inHex)")
            if case .success(.value(let octets)) = answer { values[handle] = octets }
        }
        return values
    }

    /// The error of an Error Response; nil for any other answer.
    package mutating func refusal(of procedure: Procedure, _ description: String) throws(CheckExit) -> ATTError? {
        guard case .failure(.refused(let error, _)) = try result(of: procedure, description) else { return nil }
        return error
    }

    /// Writes a value; an Error Response is a fail.
    package mutating func write(_ octets: [UInt8], to handle: UInt16, _ name: String) throws(CheckExit) {
        let error = try refusedSecurely(.write(handle: handle, value: octets), "a write of \(octets.text) to \(name)")
        if let error { try skipIfUnpaired(error, name) }
        try expect(error == nil, "\(name) accepts \(octets.text)", seen: "\(error?.description ?? "")")
    }

    /// Fails if a value has changed from `before` to what the server had to ignore; skips the check if it has changed otherwise:
    /// it may be a clock or a counter.
    package func expectIgnored(
        _ name: String, _ before: [UInt8], seen after: [UInt8], ifWritten isWritten: Bool, _ reason: String = ""
    ) throws(CheckExit) {
        guard after != before else { return }
        guard isWritten else { throw .notApplicable("\(name) changes by itself, from \(before.text) to \(after.text)") }
        throw failure(expected: "\(name) stays \(before.text)\(reason)", seen: after.text)
    }

    /// Runs a test that changes the peripheral, then undoes the change, whatever the result.
    package mutating func undoing(
        by restore: (inout Examiner) throws(CheckExit) -> Void, _ test: (inout Examiner) throws(CheckExit) -> Void
    ) throws(CheckExit) {
        do throws(CheckExit) { try test(&self) } catch {
            try? restore(&self)
            throw error
        }
        try restore(&self)
    }

    /// Fails unless the server rejects a write with the right error, which `expected` names.
    ///
    /// `isPrompt`: servers reject it without asking an application.
    package mutating func expectRefused(
        _ octets: [UInt8], to handle: UInt16, _ name: String, _ expected: String, isPrompt: Bool = false,
        by isRight: (ATTError) -> Bool
    ) throws(CheckExit) {
        let description = "a write of \(octets.text) to \(name)"
        let isPrompt = isPrompt && host.unsupportedReason(for: .packets) == nil
        var error = isPrompt ? nil : try refusedSecurely(.write(handle: handle, value: octets), description)
        if isPrompt {
            repeat {
                let request = PDU.writeRequest(handle: handle, value: octets)
                error = try refusal(of: request, description, isPrompt: true)?.error
            } while error.map { secures(after: $0) } ?? false
        }
        if let error { try skipIfUnpaired(error, name) }
        try expect(
            error.map(isRight) ?? false, "\(expected) for \(description)", seen: error?.description ?? "it was accepted"
        )
    }

    /// Writes a Client Characteristic Configuration; an Error Response is a fail.
    package mutating func subscribe(
        _ configuration: ClientConfiguration, to value: DiscoveredCharacteristic
    ) throws(CheckExit) {
        guard let handle = value.configurationHandle else {
            throw failure(
                expected: "\(value.uuid.name) has a Client Characteristic Configuration", seen: "none")
        }
        let number = configuration.rawValue.inHex
        let description = "a write of \(number) to the configuration of \(value.uuid.name)"
        let error = try refusedSecurely(.configure(handle: handle, configuration), description)
        if let error { try skipIfUnpaired(error, "the configuration of \(value.uuid.name)") }
        try expect(
            error == nil, "the configuration of \(value.uuid.name) accepts \(number)", seen: error?.description ?? "")
        if configuration.isEmpty { configured.remove(handle) } else { configured.insert(handle) }
    }

    /// How long to wait for values of a service (nil: of any): at least `duration`.  The period of a simulated peripheral is
    /// known; then it is long enough for `count` values.
    package func patience(_ duration: Duration, for count: Int = 2, of service: UUID? = nil) -> Duration {
        guard let simulated = host.simulated else { return duration }
        let services = simulated.scenario.devices[simulated.device].services
        let periods = services.filter { service == nil || $0.uuid == service }.map { period(of: $0.configured) }
        return max(duration, (periods.max() ?? .zero) * count + .seconds(1))
    }

    /// The longest time from value to value, and of a stream that for some frames, which have at most 256 samples.
    private func period(of service: ConfiguredService) -> Duration {
        guard let rate = service.description.rate(in: service.configuration) else { return service.longestPeriod }
        return .seconds(1024) / max(1, rate)
    }

    /// The next matching notification or indication of a value; nil if none arrives in time.
    package mutating func next(
        of handle: UInt16, within duration: Duration, where isMatch: (ReceivedValue) -> Bool = { _ in true }
    ) throws(CheckExit) -> ReceivedValue? {
        var place = receivedValues.count
        func isDecided(_ examiner: borrowing Examiner) -> Bool {
            while place < examiner.receivedValues.count {
                let received = examiner.receivedValues[place]
                if received.handle == handle, isMatch(received) { return true }
                place += 1
            }
            return examiner.connection == nil
        }
        let isInTime = wait(atMost: duration, until: isDecided)
        if place < receivedValues.count { return receivedValues[place] }
        guard !isInTime else { throw disconnected(during: "a wait for notifications") }
        return nil
    }

    /// Waits; inconclusive if the connection ends meanwhile.
    package mutating func stayConnected(
        for duration: Duration, during description: String = "a wait for notifications"
    ) throws(CheckExit) {
        guard !wait(atMost: duration, until: { $0.connection == nil }) else { throw disconnected(during: description) }
    }

    /// All notifications and indications of a value during `duration` from now.
    package mutating func receivedValues(of handle: UInt16, for duration: Duration) throws(CheckExit) -> [ReceivedValue]
    {
        let first = receivedValues.count
        try stayConnected(for: duration)
        return receivedValues[first...].filter { $0.handle == handle }
    }

    /// The latest notification or indication of a value; nil if there was none.
    package func latest(of handle: UInt16) -> ReceivedValue? { receivedValues.last { $0.handle == handle } }

    // MARK: Manipulating a simulated peripheral

    /// Sets a value, by its name or as the main value of a service, until the check ends; skips the check with a real
    /// peripheral.
    package mutating func setValue(
        named name: String? = nil, of service: ServiceDescription, to number: Double, _ description: String
    ) throws(CheckExit) {
        guard let entity = scenarioValue(named: name, of: service) else {
            throw .skipped("cannot \(description) of a real peripheral")
        }
        try act(Action(.set(to: .curve(.constant(number))), of: entity))
    }

    /// Moves the attributes to other handles, as a firmware update would; skips the check with a real peripheral.
    package mutating func moveHandles() throws(CheckExit) {
        guard find(.serviceChanged, of: .genericAttribute) != nil else {
            throw .notApplicable("Generic Attribute has no Service Changed, so the attributes never change")
        }
        guard let simulated = host.simulated else { throw .skipped("cannot move the handles of a real peripheral") }
        let move = Action(.moveHandles(by: 8, announce: true), of: .device(simulated.device))
        if let reason = host.ineffectiveReason(for: move) { throw .skipped("cannot move the handles: \(reason)") }
        try act(move)
    }
}

extension DiscoveredCharacteristic {
    fileprivate var handles: [UInt16] { [range.first, valueHandle] + descriptors.map(\.handle) }
}

extension Procedure {
    /// Whether it lists attributes, without their values.
    fileprivate var isDiscovery: Bool {
        switch self {
        case .discoverEverything, .discoverPrimaryServices, .findPrimaryServices, .findIncludedServices,
            .discoverCharacteristics, .discoverDescriptors:
            true
        default: false
        }
    }
}

extension ATTError {
    /// Errors of a link without enough security.  Core 6.0, Vol 3, Part F, section 3.2.5.
    package static let securityErrors: [ATTError] = [
        .insufficientAuthentication, .insufficientAuthorization, .encryptionKeySizeTooShort, .insufficientEncryption,
    ]
}

extension [UInt8] {
    /// The value with another last octet.  A clock or a counter, which changes by little, does not become this by itself.
    package var farAway: [UInt8] { last.map { dropLast() + [$0 ^ 0x20] } ?? self }

    /// Whether one of two values is the other, or its beginning.
    package func agrees(with other: [UInt8]) -> Bool { !isEmpty && zip(self, other).allSatisfy { $0 == $1 } }

    /// `16 48`; `nothing` for no octets.
    package var text: String {
        isEmpty ? "nothing" : map { $0.zeroPadded(to: 2, radix: 16) }.joined(separator: " ")
    }
}
