import ATT
import Basics
import Bluetooth
import Characteristics
import Fuzzing
import GATT

extension Reader {
    /// The first octet: whether the owner of the values refuses everything (bit 0), whether short writes are rejected
    /// (bit 1), and whether the link is encrypted (bit 2). An empty PDU: the server notifies and indicates, and 10 s pass.
    /// A PDU of one octet from 0xF0 to 0xF4 is an `Action`.
    static let server = Reader(
        "server", "PDUs of a GATT client: the server answers with at most one PDU within its MTU, and keeps no packet"
    ) { octets throws(Broken) in
        var tested = try TestedServer(options: octets.first ?? 0)
        for pdu in Conversation(octets.dropFirst()).prefix(256) {
            if pdu.isEmpty {
                try tested.passTime()
            } else if pdu.count == 1, let action = TestedServer.Action(rawValue: pdu[0]) {
                try tested.act(action)
            } else {
                try tested.receive(pdu)
            }
        }
    }
}

/// A server with its table, values and pool.
private struct TestedServer {
    /// The steps of the device between the client's PDUs.
    enum Action: UInt8 {
        /// The fitness service comes or goes, and the clients are informed, or not.
        case changeServices = 0xF0, changeServicesSilently
        /// The server indicates a value, without time passing.
        case indicate
        /// From now on, each request of these kinds is refused; again: no more.
        case injectErrors
        /// The owner answers requests for values only after the next PDU; again: at once.
        case hesitate
    }

    private static let table = try? AttributeTable(definitions)
    private static let changedTable: AttributeTable? = {
        var definitions = Self.definitions
        definitions[2].isPresent = false
        return try? AttributeTable(definitions)
    }()
    private static let definitions = [
        ServiceDefinition(
            uuid: UUID(0x1800),
            characteristics: [
                CharacteristicDefinition(uuid: UUID(0x2A00), properties: .read, value: .fixed(Array("Strap".utf8)))
            ]),
        ServiceDefinition(
            uuid: UUID(0x180D),
            characteristics: [
                CharacteristicDefinition(uuid: UUID(0x2A37), properties: [.notify, .indicate]),
                CharacteristicDefinition(uuid: UUID(0x2A38), properties: .read),
                CharacteristicDefinition(uuid: UUID(0x2A39), properties: [.write, .writeWithoutResponse]),
            ]),
        ServiceDefinition(
            uuid: VendorUUID.fitness.uuid,
            characteristics: [
                CharacteristicDefinition(
                    uuid: VendorUUID.steps.uuid, properties: [.read, .write],
                    descriptors: [DescriptorDefinition(uuid: UUID(0x2901), value: Array("Page".utf8))])
            ]),
        ServiceDefinition(
            uuid: UUID(0x180F),
            characteristics: [
                CharacteristicDefinition(
                    uuid: UUID(0x2A19), properties: [.read, .write, .writeWithoutResponse], value: .requested)
            ]),
        .genericAttribute,
        ServiceDefinition(
            uuid: UUID(0xFFF0), isPrimary: false, includes: [3],
            characteristics: [
                CharacteristicDefinition(
                    uuid: UUID(0xFFF1), properties: [.read, .write],
                    permissions: AttributePermissions([.read, .write], needing: .encrypted)),
                CharacteristicDefinition(
                    uuid: UUID(0xFFF2), properties: [.write], permissions: AttributePermissions([.write], needing: []),
                    value: .fixed([1])),
            ]),
    ]
    private static let measurement: UInt16 = 6

    private var server = Server(receives: 247)
    private var table: AttributeTable
    private var otherTable: AttributeTable
    private var values: Values
    private var pool = PacketPool()
    private var now = Instant.start
    private var hesitates = false
    private var isWaiting = false

    init(options: UInt8) throws(Broken) {
        guard let table = Self.table, let other = Self.changedTable else {
            throw Broken(description: "there is no table")
        }
        (self.table, otherTable) = (table, other)
        values = Values(refuses: options & 1 != 0)
        (self.table.rejectsShortWrites, otherTable.rejectsShortWrites) = (options & 2 != 0, options & 2 != 0)
        if options & 4 != 0 { server.security = [.encrypted] }
    }

    mutating func receive(_ pdu: [UInt8]) throws(Broken) {
        var outbox: [Server.Output] = []
        let (mtu, wasWaiting) = (server.mtu, isWaiting)
        server.receive(
            pool.take(pdu), table: table, values: &values, at: now, pool: &pool, into: &outbox)
        var sent = try take(outbox)
        isWaiting = isWaiting || outbox.contains(where: \.needsAnswer)
        if wasWaiting {
            try require(sent.isEmpty || pdu == [0x1E], "\(pdu.hex) is answered before the request that waits")
            _ = try answerWaiting()
            return
        }
        if hesitates, isWaiting { return }
        sent += try answerWaiting()
        try require(sent.count <= 1, "\(pdu.hex) has \(sent.count) answers")
        guard let answer = sent.first, let opcode = pdu.first, opcode != 0x1E else { return }
        try require(answer.count <= mtu, "the answer to \(pdu.hex) has \(answer.count) octets")
        try require(opcode & 0x40 == 0, "the command \(pdu.hex) is answered with \(answer.hex)")
        let response = Opcode(rawValue: opcode)?.response?.rawValue
        try require(
            answer.first == response || answer.count == 5 && answer.starts(with: [0x01, opcode]),
            "\(pdu.hex) is answered with \(answer.hex)")
    }

    /// The owner answers the request that waits for it, until the client has its response.
    private mutating func answerWaiting() throws(Broken) -> [[UInt8]] {
        var sent: [[UInt8]] = []
        while isWaiting {
            var outbox: [Server.Output] = []
            let answer: Result<[UInt8], ATTError> =
                values.refuses ? .failure(.insufficientAuthorization) : .success([UInt8](repeating: 9, count: 600))
            server.answer(answer, table: table, values: &values, at: now, pool: &pool, into: &outbox)
            sent += try take(outbox)
            isWaiting = outbox.contains(where: \.needsAnswer)
        }
        return sent
    }

    mutating func act(_ action: Action) throws(Broken) {
        var outbox: [Server.Output] = []
        switch action {
        case .changeServices, .changeServicesSilently:
            server.attributesChanged(
                from: table, to: otherTable, isAnnounced: action == .changeServices, at: now, pool: &pool, into: &outbox
            )
            (table, otherTable) = (otherTable, table)
        case .indicate:
            server.indicate(Self.measurement, [0x00, 72], at: now, pool: &pool, into: &outbox)
        case .injectErrors:
            var injection = ErrorInjection()
            if server.errorInjection.isEmpty {
                injection.add(.all, in: HandleRange(8, 14), with: .insufficientResources)
            }
            server.errorInjection = injection
        case .hesitate: hesitates.toggle()
        }
        try require(try take(outbox).count <= 1, "\(action) causes several PDUs")
    }

    mutating func passTime() throws(Broken) {
        now = now.advanced(by: .seconds(10))
        var outbox: [Server.Output] = []
        server.timePassed(at: now, into: &outbox)
        let packet = pool.take([0x00, 72])
        server.notify(Self.measurement, packet, pool: &pool, into: &outbox)
        pool.release(packet)
        server.indicate(Self.measurement, [0x00, 72], at: now, pool: &pool, into: &outbox)
        try require(try take(outbox).allSatisfy { $0.count == 5 }, "another PDU is sent with a value")
    }

    /// The PDUs that are sent.
    private mutating func take(_ outbox: [Server.Output]) throws(Broken) -> [[UInt8]] {
        var sent: [[UInt8]] = []
        for case .send(let packet) in outbox {
            sent.append(pool.octets(of: packet))
            pool.release(packet)
        }
        try require(pool.taken == 0, "\(pool.taken) packets are kept")
        return sent
    }
}

extension Server.Output {
    /// Whether the client waits for the caller.
    fileprivate var needsAnswer: Bool { if case .requested(_, needsAnswer: true) = self { true } else { false } }
}

/// Values of at most 100 octets.
private struct Values: AttributeValues {
    let refuses: Bool
    private var values: [UInt16: [UInt8]] = [:]

    init(refuses: Bool) { self.refuses = refuses }

    mutating func read(_ handle: UInt16, at now: Instant) throws(ATTError) -> [UInt8] {
        if refuses { throw .insufficientAuthorization }
        return values[handle] ?? [UInt8](repeating: 7, count: 60)
    }

    mutating func write(_ value: [UInt8], to handle: UInt16, at now: Instant) throws(ATTError) {
        if refuses || value.contains(0xFF) { throw ATTError(rawValue: 0x80) }
        guard value.count <= 100 else { throw .invalidAttributeValueLength }
        values[handle] = value
    }
}
