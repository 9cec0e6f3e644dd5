import ATT
import Bluetooth
import Checks

// Requests that a server must reject or survive, between valid ones.
extension Check {
    /// Does something invalid between two reads of Device Name.
    static func refusing(
        _ id: String, _ title: String, _ requirement: String, _ invalid: @escaping Body
    ) -> Check {
        Check(id, title, requirement, if: .deviceName) { peripheral throws(CheckExit) in
            try peripheral.readName("before")
            try invalid(&peripheral)
            try peripheral.readName("after")
        }
    }

    /// The server survives something invalid.
    static func surviving(
        _ description: String, _ id: String, _ title: String, _ requirement: String, _ invalid: @escaping Body
    ) -> Check {
        Check(id, title, requirement, weight: .robustness, if: .deviceName) { peripheral throws(CheckExit) in
            try peripheral.expectSurvives(description, invalid)
        }
    }
}

/// A request for one attribute, and the numbers of the test cases in which a server rejects it.
struct AttributeRequest: Sendable {
    /// `Read By Type`
    let name: String
    /// In Core 6.0, Vol 3, Part G.
    let section: String
    /// Whether a server may not support the request at all.
    var isOptional = true
    /// One for each target of the table; nil where there is no test case.
    let numbers: [String?]
    /// Requests the attribute with a handle and a type; `name` is the handle of Device Name.
    let pdu: @Sendable (_ handle: UInt16, _ type: UUID, _ name: UInt16) -> PDU

    /// The request is rejected, for each target that has a number, with the target's error.
    func checks(
        _ prefix: String, _ preposition: String, _ targets: [(attribute: TargetAttribute, error: ATTError)]
    ) -> [Check] {
        zip(numbers, targets).compactMap { number, target in
            number.map { check("\(prefix)/\($0)-C", preposition, target.attribute, target.error) }
        }
    }

    private func check(
        _ id: String, _ preposition: String, _ target: TargetAttribute, _ error: ATTError
    ) -> Check {
        let title = "\(name) \(preposition) \(target.description)"
        return .refusing(id, "\(title) is rejected with \(error)", Check.gatt(section)) {
            peripheral throws(CheckExit) in
            let (handle, type) = try target.find(in: &peripheral)
            let description = "\(title), \(handle.inHex)"
            let request = pdu(handle, type, try peripheral.nameHandle)
            if isOptional, try peripheral.refusal(of: request, description)?.error == .requestNotSupported {
                throw Examiner.unsupported(name)
            }
            try peripheral.expectRefused(request, with: [error], at: handle, description)
        }
    }
}
