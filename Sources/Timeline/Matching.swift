import Bluetooth
import EventLog
public import Scenarios

extension Event {
    /// Whether a happening is one of these, but for which of the matches count.
    func fits(_ happening: ScriptRunner.Happening) -> Bool {
        guard kind == happening.kind else { return false }
        if let of {
            guard let thing = happening.of, of.includes(thing) else { return false }
        }
        return filters.allSatisfy { filter in
            switch filter {
            case .code(let code): happening.code.map { code.fits($0, of: kind) } ?? false
            case .value(let matcher), .line(let matcher): matcher.fits(happening.value)
            case .status(let status): happening.code.map(Int.init) == status
            }
        }
    }
}

extension Event.Occurrence {
    /// Whether the match with this number counts; the first has 1.
    func includes(_ number: Int) -> Bool {
        switch self {
        case .each: true
        case .nth(let nth): number == nth
        case .every(let step): step > 0 && number.isMultiple(of: step)
        }
    }
}

extension Thing {
    /// Whether `other` is this or belongs to it: a device includes its services and their parts, a service its parts.
    func includes(_ other: Thing) -> Bool {
        switch (self, other) {
        case (.device(let device), _): other.device == device
        case (.service, .part(let device, let service, _)): self == .service(device: device, service: service)
        default: self == other
        }
    }
}

extension Code {
    /// Whether an octet is this; a name is that of an ATT error in a refusal, else of an HCI error.
    fileprivate func fits(_ octet: UInt8, of kind: Event.Kind) -> Bool {
        switch self {
        case .number(let number): number == octet
        case .name(let name) where kind == .refused: ATTError(name: name)?.rawValue == octet
        case .name(let name): HCIStatus(name: name)?.rawValue == octet
        }
    }
}

extension Matcher {
    /// Whether a value is like this; nil, what is not there, is like `{"$any": false}` and what `$not` makes of others.
    ///
    /// `$truth` belongs to expectations; here nothing is like it.
    public func fits(_ datum: Datum?) -> Bool {
        switch (self, datum) {
        case (.not(let matcher), _): !matcher.fits(datum)
        case (.oneOf(let matchers), _): matchers.contains { $0.fits(datum) }
        case (.any(let something), _): something == (datum != nil)
        case (.null, .null): true
        case (.bool(let wanted), .bool(let bool)): wanted == bool
        case (.number(let wanted), .number(let number)): wanted == number
        case (.string(let wanted), .string(let string)): wanted == string
        case (.between(let limits), .number(let number)):
            number >= limits.min ?? -.infinity && number <= limits.max ?? .infinity
        case (.list(let matchers), .list(let data)):
            matchers.count == data.count && zip(matchers, data).allSatisfy { $0.fits($1) }
        case (.each(let matcher), .list(let data)): data.allSatisfy { matcher.fits($0) }
        case (.object(let members), .object(let data)):
            members.allSatisfy { member in member.matcher.fits(data.first { $0.key == member.key }?.value) }
        default: false
        }
    }
}
