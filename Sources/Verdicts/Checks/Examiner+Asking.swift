import Bluetooth
import GATT
import HCI
import Scenarios
import Sensors
import Services
import Simulation
import Spelling

// What checks are made of.
extension Examiner {
    /// The characteristic of a service, as it was discovered.
    borrowing func find(_ uuid: UUID, of service: UUID) -> DiscoveredCharacteristic? {
        services.first { $0.uuid == service && $0.isPrimary }?.characteristics.first { $0.uuid == uuid }
    }

    /// The characteristic that a check's claims promise.
    func characteristic(_ uuid: UUID, of service: UUID) throws(CheckExit) -> DiscoveredCharacteristic {
        guard let found = find(uuid, of: service) else {
            throw .inconclusive("service \(service) has no characteristic \(uuid)")
        }
        return found
    }

    /// That the peripheral is wrong now.
    func failure(expected: String, seen: String) -> CheckExit {
        .failed(Finding(expected: expected, seen: seen, instant: now))
    }

    /// Fails unless something is so.
    func expect(_ isSo: Bool, _ expected: String, seen: @autoclosure () -> String) throws(CheckExit) {
        guard isSo else { throw failure(expected: expected, seen: seen()) }
    }

    /// Asks, and fails when nothing comes back at all.
    mutating func result(
        of procedure: Procedure, _ words: String
    ) throws(CheckExit) -> Result<Procedure.Outcome, Procedure.Failure> {
        guard connection != nil else { throw ended(during: words) }
        let answer = ask(procedure)
        switch answer {
        case .failure(.disconnected)?, nil: throw hungUp(instead: words)
        case .failure(.bearerLost)?:
            throw failure(expected: "an answer to \(words) within 30 s", seen: "none")
        case .failure(.refused)?, .success?: return answer ?? .failure(.disconnected)
        case .failure(.unavailable(let why))?: throw .skipped("\(words) cannot be asked: \(why)")
        case .failure(let failure)?:
            throw self.failure(expected: "a well-formed answer to \(words)", seen: "\(failure)")
        }
    }

    /// That the peripheral ended the connection in place of an answer; nobody can tell when it was not the peripheral.
    func hungUp(instead words: String) -> CheckExit {
        // Not every host that is not ours tells why: then it is unspecified.
        guard end != .connectionTimeout, end != .unspecified else { return ended(during: words) }
        return failure(expected: "an answer to \(words)", seen: "the connection ended: \(endInWords)")
    }

    /// Why the newest connection is over.
    var endInWords: String { end.map { "\($0)" } ?? "nobody says why" }

    /// That the connection ended by itself, so that nothing more can be told.
    func ended(during words: String) -> CheckExit {
        let known = supervisionTimeout > .zero ? "; its supervision timeout was \(supervisionTimeout.inWords)" : ""
        return .inconclusive("the connection ended before the end of \(words): \(endInWords)\(known)")
    }

    /// The value of an attribute; a refusal is a fail.
    mutating func read(_ handle: UInt16, _ name: String) throws(CheckExit) -> [UInt8] {
        switch try result(of: .readLong(handle: handle), "a read of \(name)") {
        case .success(.value(let octets)): return octets
        case .failure(.refused(let error, _)):
            try skipIfUnpaired(error, name)
            throw failure(expected: "the value of \(name)", seen: "\(error)")
        default: throw failure(expected: "the value of \(name)", seen: "another answer")
        }
    }

    /// A peripheral may want keys first for whatever it has.  Core 6.0, Vol 3, Part C, section 10.
    private func skipIfUnpaired(_ error: ATTError, _ name: String) throws(CheckExit) {
        if ATTError.guards.contains(error) {
            throw .skipped("\(name) wants a paired client (\(error)): \(Claim.Obstacle.pairing.rawValue)")
        }
    }

    /// With what error a request is refused; nil when it is not.
    mutating func refusal(of procedure: Procedure, _ words: String) throws(CheckExit) -> ATTError? {
        guard case .failure(.refused(let error, _)) = try result(of: procedure, words) else { return nil }
        return error
    }

    /// Writes a value; a refusal is a fail.
    mutating func write(_ octets: [UInt8], to handle: UInt16, _ name: String) throws(CheckExit) {
        let error = try refusal(of: .write(handle: handle, value: octets), "a write of \(octets.hex) to \(name)")
        if let error { try skipIfUnpaired(error, name) }
        try expect(error == nil, "\(name) takes \(octets.hex)", seen: "\(error?.description ?? "")")
    }

    /// Asks for notifications, or wants no more of them; a refusal is a fail.
    mutating func subscribe(_ configuration: ClientConfiguration, to value: DiscoveredCharacteristic) throws(CheckExit)
    {
        guard let handle = value.configurationHandle else {
            throw failure(
                expected: "\(value.uuid) has a Client Characteristic Configuration", seen: "none was discovered")
        }
        let number = "0x\(configuration.rawValue.text(digits: 4, radix: 16))"
        let words = "a write of \(number) to the configuration of \(value.uuid)"
        let error = try refusal(of: .configure(handle: handle, configuration), words)
        if let error { try skipIfUnpaired(error, "the configuration of \(value.uuid)") }
        try expect(error == nil, "the configuration of \(value.uuid) takes \(number)", seen: error?.description ?? "")
    }

    /// The first notice of a value from now on that is wanted; nil when none comes in time.
    mutating func next(
        of handle: UInt16, within duration: Duration, where isWanted: (Notice) -> Bool = { _ in true }
    ) throws(CheckExit) -> Notice? {
        var place = notices.count
        func isDecided(_ examiner: borrowing Examiner) -> Bool {
            while place < examiner.notices.count {
                let notice = examiner.notices[place]
                if notice.handle == handle, isWanted(notice) { return true }
                place += 1
            }
            return examiner.connection == nil
        }
        let isInTime = wait(atMost: duration, until: isDecided)
        if place < notices.count { return notices[place] }
        guard !isInTime else { throw ended(during: "a wait for notifications") }
        return nil
    }

    /// All notices of a value from now on, for so long.
    mutating func notices(of handle: UInt16, for duration: Duration) throws(CheckExit) -> [Notice] {
        let first = notices.count
        guard !wait(atMost: duration, until: { $0.connection == nil }) else {
            throw ended(during: "a wait for notifications")
        }
        return notices[first...].filter { $0.handle == handle }
    }

    // MARK: What a person could do to the peripheral

    /// Sets a value of a service, by its name or as the main value, until the case ends; skips the check where nobody can.
    mutating func provoke(
        named name: String? = nil, of service: ServiceDescription, to number: Double, _ words: String
    ) throws(CheckExit) {
        guard let entity = scenarioValue(named: name, of: service) else {
            throw .skipped("nobody can \(words) of this peripheral")
        }
        try act(Action(.set(to: .curve(.constant(number))), of: entity))
    }

    /// Gives its attributes other handles, as a new firmware would, and has it tell so; skips the check where nobody
    /// can.
    mutating func provokeMove() throws(CheckExit) {
        guard find(.serviceChanged, of: .genericAttribute) != nil else {
            throw .skipped("not claimed: service 1801 has no characteristic 2A05, so its attributes never change")
        }
        guard let stage = host.stage else { throw .skipped("nobody can move the handles of this peripheral") }
        try act(Action(.moveHandles(by: 8, announce: true), of: .device(stage.device)))
    }
}

extension [UInt8] {
    /// As in the event log, with spaces: `16 48`; `nothing` when there are none.
    var hex: String {
        isEmpty ? "nothing" : map { $0.text(digits: 2, radix: 16) }.joined(separator: " ")
    }
}
