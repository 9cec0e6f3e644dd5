import Bluetooth
import SecurityManager

/// Whether a value equals one that was delivered.
package typealias TruthTest = (Matcher.Truth, Datum) -> Bool

extension Event {
    /// The number of values of an event that match, whatever `occurrence` is; `isTrue` evaluates `$truth`, which only
    /// expectations can use.
    package func matches(in observed: ObservedEvent, isTrue: TruthTest = { _, _ in false }) -> Int {
        concerns(observed) ? (0..<observed.count).count { fits(observed, at: $0, isTrue: isTrue) } : 0
    }

    /// Whether the kind and the entity of an event match, whatever the filters.
    package func concerns(_ observed: ObservedEvent) -> Bool {
        guard kind == observed.kind else { return false }
        guard let of else { return true }
        guard let entity = descriptor == nil ? observed.of : observed.descriptor?.owner else { return false }
        return of.includes(entity) || carrier?.value == entity
    }

    /// Whether one value of an event that it concerns matches the filters.
    ///
    /// In a stream, members other than the values belong to the first value.
    package func fits(_ observed: ObservedEvent, at index: Int, isTrue: TruthTest) -> Bool {
        var included: Datum?
        if let carrier, observed.of == carrier.value, kind.hasValue {
            included = index == 0 ? observed.value?[carrier.key] : nil
            guard included != nil else { return false }
        }
        return filters.allSatisfy { filter in
            switch filter {
            case .code(let code): observed.code.map { code.fits($0, of: kind) } ?? false
            case .value(let matcher):
                matcher.fits(
                    included ?? matcher.view(of: observed, at: index) ?? observed.octets.map(Datum.string),
                    isTrue: isTrue)
            case .line(let matcher): matcher.fits(line: observed.value, isTrue: isTrue)
            case .status(let status): observed.code.map(Int.init) == status
            case .descriptor(let type): observed.descriptor?.type == type
            }
        }
    }

    /// The type of the descriptor that it is about; nil: it is about a value.
    private var descriptor: UUID? {
        filters.lazy.compactMap { if case .descriptor(let type) = $0 { type } else { nil } }.first
    }

    /// The part of one value of an event that the filters apply to; nil if it is not known.
    package func relevantValue(of observed: ObservedEvent, at index: Int) -> Datum? {
        let asksForObject = filters.contains { filter in
            if case .value(let matcher) = filter { matcher.asksForObject } else { false }
        }
        if let carrier, observed.of == carrier.value { return observed.value?[carrier.key] }
        guard let value = observed.value else { return observed.octets.map(Datum.string) }
        return asksForObject ? value : observed.value(at: index) ?? value
    }
}

extension Event.Kind {
    /// Whether it is about a value, and not only about its characteristic.
    fileprivate var hasValue: Bool {
        switch self {
        case .subscribed, .unsubscribed, .confirmed, .refused: false
        default: true
        }
    }
}

extension Matcher {
    /// The value that it applies to: one value of a stream or, if it matches objects, the whole value; of an object, the
    /// first member, which is the main one (bpm, celsius).
    fileprivate func view(of observed: ObservedEvent, at index: Int) -> Datum? {
        guard !asksForObject else { return observed.value }
        guard case .object(let members)? = observed.value(at: index), let first = members.first else {
            return observed.value(at: index)
        }
        return first.value
    }

    fileprivate var asksForObject: Bool {
        switch self {
        case .object: true
        case .not(let matcher): matcher.asksForObject
        case .oneOf(let matchers): matchers.contains { $0.asksForObject }
        default: false
        }
    }
}

extension Event.Occurrence {
    /// Whether the match with a number, counted from 1, counts.
    package func includes(_ number: Int) -> Bool {
        switch self {
        case .each: true
        case .nth(let nth): number == nth
        case .every(let step): step > 0 && number.isMultiple(of: step)
        }
    }
}

extension EntityReference {
    /// Whether `other` is this or belongs to it: a device includes its services and their values, a service its values.
    package func includes(_ other: EntityReference) -> Bool {
        switch (self, other) {
        case (.device(let device), _): other.device == device
        case (.service, .value(let device, let service, _)): self == .service(device: device, service: service)
        default: self == other
        }
    }
}

extension Code {
    /// Whether an octet is this code; names are ATT errors in `refused`, reasons of Pairing Failed in `pairing_failed`,
    /// otherwise HCI errors.
    fileprivate func fits(_ octet: UInt8, of kind: Event.Kind) -> Bool {
        switch self {
        case .number(let number): number == octet
        case .name(let name) where kind == .refused: ATTError(name: name)?.rawValue == octet
        case .name(let name) where kind == .pairingFailed: PairingFailedReason(name: name)?.rawValue == octet
        case .name(let name): HCIStatus(name: name)?.rawValue == octet
        }
    }
}

extension Matcher {
    /// Whether a value matches; a missing value, nil, matches only `{"$any": false}`, and no `$not` of another pattern.
    package func fits(_ datum: Datum?, isTrue: TruthTest = { _, _ in false }) -> Bool {
        guard let datum else { return fitsNothing ?? false }
        return switch (self, datum) {
        case (.not(let matcher), _): !matcher.fits(datum, isTrue: isTrue)
        case (.oneOf(let matchers), _): matchers.contains { $0.fits(datum, isTrue: isTrue) }
        case (.any(let something), _): something
        case (.truth(let truth), _): isTrue(truth, datum)
        case (.null, .null): true
        case (.bool(let expected), .bool(let bool)): expected == bool
        case (.number(let expected), .number(let number)): expected == number
        case (.string(let expected), .string(let string)): expected == string
        case (.between(let limits), .number(let number)): limits.include(number)
        case (.list(let matchers), .list(let data)):
            matchers.count == data.count && zip(matchers, data).allSatisfy { $0.fits($1, isTrue: isTrue) }
        case (.each(let matcher), .list(let data)): data.allSatisfy { matcher.fits($0, isTrue: isTrue) }
        case (.object(let members), .object):
            members.allSatisfy { $0.matcher.fits(datum[$0.key], isTrue: isTrue) }
        default: false
        }
    }

    /// Whether a client's line matches.
    ///
    /// Within the value of one of the line's keys, a key without a value and one with `null` mean the same: that there is
    /// no value.  `null` under a key of the line itself clears the display.
    package func fits(line: Datum?, isTrue: TruthTest = { _, _ in false }) -> Bool {
        guard case .object(let members) = self, case .object? = line else { return fits(line, isTrue: isTrue) }
        return members.allSatisfy { member in
            guard let value = line?[member.key], value != .null else {
                return member.matcher.fits(line?[member.key], isTrue: isTrue)
            }
            return member.matcher.fits(shown: value, isTrue: isTrue)
        }
    }

    /// Whether a value in a client's line matches; nil and `null` are the same.
    package func fits(shown datum: Datum?, isTrue: TruthTest) -> Bool {
        switch (self, datum ?? .null) {
        case (.not(let matcher), .null): matcher.fitsNothing.map { !$0 } ?? false
        case (.any(let something), .null): !something
        case (.not(let matcher), _): !matcher.fits(shown: datum, isTrue: isTrue)
        case (.oneOf(let matchers), _): matchers.contains { $0.fits(shown: datum, isTrue: isTrue) }
        case (.object(let members), .object):
            members.allSatisfy { $0.matcher.fits(shown: datum?[$0.key], isTrue: isTrue) }
        case (.list(let matchers), .list(let data)):
            matchers.count == data.count && zip(matchers, data).allSatisfy { $0.fits(shown: $1, isTrue: isTrue) }
        case (.number(let expected), .number(let shown)): expected.equals(shown)
        case (_, let value): fits(value, isTrue: isTrue)
        }
    }

    /// Whether it matches a missing value; nil if it does not depend on that.
    private var fitsNothing: Bool? {
        switch self {
        case .any(let something): return !something
        case .not(let matcher): return matcher.fitsNothing.map { !$0 }
        case .oneOf(let matchers):
            let answers = matchers.compactMap(\.fitsNothing)
            return answers.isEmpty ? nil : answers.contains(true)
        default: return nil
        }
    }
}

extension Double {
    /// Whether it is equal, except for rounding errors, also those of 32-bit floating point numbers, and a tolerance.
    package func equals(_ other: Double, within tolerance: Double = 0) -> Bool {
        (self - other).magnitude <= max(tolerance + 1e-9, magnitude * 1e-7)
    }
}

extension Expectation.Limits {
    package func include(_ number: Double) -> Bool { number >= min ?? -.infinity && number <= max ?? .infinity }
}
