import Basics
import Bluetooth
import Cryptography
import HCI

// Encryption: Core 6.0, Vol 4, Part E, sections 7.8.22, 7.8.24 to 7.8.26, 7.8.36 and 7.8.37.  HCI has the least
// significant octet first, libcrypto the most significant.
extension Controller {
    // MARK: Links

    mutating func enableEncryption(
        _ request: (handle: UInt16, random: UInt64, diversifier: UInt16, key: [UInt8]), _ opcode: Opcode,
        _ context: inout Context
    ) {
        guard let index = index(of: request.handle) else { return status(.unknownConnection, opcode, &context) }
        guard links[index].radio.end == .central, links[index].termination == nil,
            encrypted[request.handle]?.procedure.isActive != true
        else { return status(.commandDisallowed, opcode, &context) }
        status(.success, opcode, &context)
        var outputs: [LinkEncryption.Output] = []
        encrypted[request.handle, default: Encrypted()].procedure.start(
            key: request.key.reversed(), random: request.random, diversifier: request.diversifier, chance: &chance,
            into: &outputs)
        perform(outputs, index, &context)
    }

    /// The host's answer to LE Long Term Key Request, with the most significant octet first; nil: it has no key.
    mutating func answerKeyRequest(of handle: UInt16, key: [UInt8]?, _ opcode: Opcode, _ context: inout Context) {
        let index = index(of: handle)
        let isAllowed = index.map { links[$0].termination == nil && encrypted[handle]?.procedure.awaitsKey == true }
        let status: HCIStatus = isAllowed.map { $0 ? .success : .commandDisallowed } ?? .unknownConnection
        complete(opcode, status, returning: [UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)], &context)
        guard let index, status == .success else { return }
        var outputs: [LinkEncryption.Output] = []
        if let key {
            encrypted[handle]?.procedure.provide(key: key, into: &outputs)
        } else {
            encrypted[handle]?.procedure.decline(into: &outputs)
        }
        perform(outputs, index, &context)
    }

    /// Handles a PDU of the encryption procedures.
    mutating func receiveOfEncryption(_ pdu: LinkPDU, _ index: Int, _ context: inout Context) {
        guard links[index].termination == nil else { return }
        var outputs: [LinkEncryption.Output] = []
        encrypted[links[index].handle, default: Encrypted()].procedure.receive(pdu, chance: &chance, into: &outputs)
        perform(outputs, index, &context)
    }

    private mutating func perform(_ outputs: [LinkEncryption.Output], _ index: Int, _ context: inout Context) {
        let (handle, radio) = (links[index].handle, links[index].radio)
        for output in outputs {
            switch output {
            case .prepare(let key): context.radio.prepare(key, of: radio)
            case .send(let pdu):
                send(pdu, index, &context)
                let due = context.now.advanced(byNanoseconds: LinkEncryption.responseTimeout)
                encrypted[handle]?.responseDue = due
                context.radio.awaitResponse(radio, until: due, into: &context.outbox)
            case .requestKey(let random, let diversifier):
                requestKey(random, diversifier, index, &context)
            case .ended(let status, let isRefresh): report(status, isRefresh, handle, &context)
            case .terminate(let reason):
                links[index].termination = reason
                send(.terminate(reason: reason), index, &context)
            }
        }
        if encrypted[handle]?.procedure.isActive == false { encrypted[handle]?.responseDue = nil }
    }

    /// A host that has masked the event has no key: Core 6.0, Vol 6, Part B, section 5.1.3.1.
    private mutating func requestKey(
        _ random: UInt64, _ diversifier: UInt16, _ index: Int, _ context: inout Context
    ) {
        guard eventMask.contains(.leMeta), leEventMask.contains(.longTermKeyRequest) else {
            var outputs: [LinkEncryption.Output] = []
            encrypted[links[index].handle]?.procedure.decline(into: &outputs)
            return perform(outputs, index, &context)
        }
        send(.leLongTermKeyRequest(links[index].handle, random, diversifier), &context)
    }

    private func report(_ status: HCIStatus, _ isRefresh: Bool, _ handle: UInt16, _ context: inout Context) {
        if isRefresh {
            send(.encryptionKeyRefreshComplete(status, handle), if: .encryptionKeyRefreshComplete, &context)
        } else {
            let isOn: UInt8 = status == .success ? 1 : 0
            send(.encryptionChange(status, handle, isOn), if: .encryptionChange, &context)
        }
    }

    /// The peer has not answered for 40 s: this end of the link closes.
    mutating func responseTimedOut(_ connection: Radio.Connection, _ context: inout Context) {
        guard let index = links.firstIndex(where: { $0.radio == connection }),
            encrypted[links[index].handle]?.responseDue == context.now
        else { return }
        context.radio.close(connection, at: context.now, pool: &context.pool, into: &context.outbox)
        remove(index, reason: .responseTimeout, &context)
    }

    // MARK: Functions for hosts

    func encrypt(_ block: [UInt8], key: [UInt8], _ opcode: Opcode, _ context: inout Context) {
        guard let encrypted = try? AES128.encrypted(block.reversed(), key: key.reversed()) else {
            let nothing = [UInt8](repeating: 0, count: AES128.count)
            return complete(opcode, .hardwareFailure, returning: nothing, &context)
        }
        complete(opcode, .success, returning: encrypted.reversed(), &context)
    }

    mutating func generateKeyPair(_ opcode: Opcode, _ context: inout Context) {
        status(.success, opcode, &context)
        keyPair = newKeyPair()
        let event: Event =
            keyPair.map {
                .leReadLocalP256PublicKeyComplete(.success, $0.publicKey.x.reversed(), $0.publicKey.y.reversed())
            }
            ?? .leReadLocalP256PublicKeyComplete(.hardwareFailure, [], [])
        send(event, if: .readLocalP256PublicKeyComplete, &context)
    }

    /// nil: libcrypto has failed.
    private mutating func newKeyPair() -> P256KeyPair? {
        while true {
            var privateKey: [UInt8] = []
            for _ in 0..<4 { privateKey.append(littleEndian: chance.next()) }
            do throws(CryptographyFailure) {
                return try P256KeyPair(privateKey: privateKey)
            } catch {
                // One number in 2³² is out of range.
                guard error == .privateKeyRange else { return nil }
            }
        }
    }

    /// The private key that sniffers know: Core 6.0, Vol 3, Part H, section 2.3.5.6.1.
    private static let debugPrivateKey: [UInt8] = [
        0x3F, 0x49, 0xF6, 0xD4, 0xA3, 0xC5, 0x5F, 0x38, 0x74, 0xC9, 0xB3, 0xE3, 0xD2, 0x10, 0x3F, 0x50,
        0x4A, 0xFF, 0x60, 0x7B, 0xEB, 0x40, 0xB7, 0x99, 0x58, 0x99, 0xB8, 0xA6, 0xCD, 0x3C, 0x1A, 0xBD,
    ]

    func generateSharedSecret(_ command: Command, _ context: inout Context) throws(Malformed) {
        let (x, y, usesDebugKey): ([UInt8], [UInt8], Bool)
        if command.opcode == Command.leGenerateDHKey.opcode {
            (x, y) = try Command.leGenerateDHKey.parameters(of: command)
            usesDebugKey = false
        } else {
            (x, y, usesDebugKey) = try Command.leGenerateDHKeyV2.parameters(of: command)
        }
        let pair = usesDebugKey ? try? P256KeyPair(privateKey: Self.debugPrivateKey) : keyPair
        guard let pair else { return status(.commandDisallowed, command.opcode, &context) }
        status(.success, command.opcode, &context)
        guard let peer = P256PublicKey(x: x.reversed(), y: y.reversed()),
            let secret = try? pair.sharedSecret(with: peer)
        else { return send(.leGenerateDHKeyComplete(.invalidParameters, []), if: .generateDHKeyComplete, &context) }
        send(.leGenerateDHKeyComplete(.success, secret.reversed()), if: .generateDHKeyComplete, &context)
    }
}
