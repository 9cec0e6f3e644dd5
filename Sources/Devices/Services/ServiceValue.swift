public import Characteristics
public import GATT

/// A value of a service, by its place in ``ServiceDescription/values``.
public struct ValueID: Hashable, Sendable {
    /// The place of the value.
    public let index: Int
    private let carrier: Int

    /// A value that is sent within the characteristic value at `carrier`; its own place when it is that value.
    init(index: Int, carrier: Int) { (self.index, self.carrier) = (index, carrier) }

    /// The characteristic value that carries this value: itself, if it is one.
    public var characteristicValue: ValueID { ValueID(index: carrier, carrier: carrier) }
}

extension RawRepresentable<Int> {
    /// The case of a sensor's values with this place; nil for any other.
    init?(_ id: ValueID) { self.init(rawValue: id.index) }
}

/// A value of a service, with its place and its characteristic.
public struct ServiceValue: Sendable {
    /// Its place in the service.
    public let id: ValueID
    /// The index of its characteristic in ``ServiceDescription/characteristics``.
    public let characteristic: Int
    /// Of its characteristic.
    public let properties: CharacteristicProperties
    /// Name, unit, range and the rest.
    public let description: ValueDescription

    /// What a path has after the service; empty for the value that the service is there for.
    public var name: String { description.name }
    /// Whether the value is sent within another one.
    public var isCarried: Bool { id != id.characteristicValue }
}

/// A value that events, actions and expectations can name.
public struct ValueDescription: Sendable {
    /// What a value is.
    public enum Content: Sendable {
        /// A number in this range.
        case number(ClosedRange<Double>)
        /// 1 for true and 0 for false.
        case truth
        /// One of these words, which are numbered from `first` on.
        case word([String], first: UInt8)
        /// A string.
        case text
        /// A list of numbers.
        case numbers
        /// An object, or octets without a name.
        case structure
        /// As the file says that describes the characteristic.
        case custom(ValueFormat)
    }

    /// What a path has after the service's name; empty for the value that the service is there for.
    public let name: String
    /// What it is.
    public let content: Content
    /// The key in the object that carries it; nil when the value is not an object.
    public let key: String?
    /// For people: `%`; empty for a value without a unit.
    public let unit: String
    /// For people: `skin contact`; empty when name or key say it.
    public let label: String
    /// What a person might type for it; empty for a value like any other.
    public let example: String
    /// Whether a script can set it; otherwise it follows from others.
    public let isSettable: Bool
    /// Whether a script can notify a number or a word in its place.
    public let isEncodable: Bool
    /// How far the number of a client may be from the number that was sent to it.
    public let tolerance: Double
    /// A device has the value only with this field; nil: always.
    public let field: String?

    /// A value of a characteristic; without a name it is what the service is there for.
    public init(
        _ content: Content, named name: String = "", key: String? = nil, unit: String = "", label: String = "",
        example: String = "",
        isSettable: Bool = true, isEncodable: Bool = true, tolerance: Double = 0, field: String? = nil
    ) {
        (self.name, self.content, self.key, self.unit) = (name, content, key, unit)
        (self.label, self.example) = (label, example)
        (self.isSettable, self.isEncodable, self.tolerance, self.field) = (isSettable, isEncodable, tolerance, field)
    }

    /// The numbers that it can have; nil when it is not a number.
    public var range: ClosedRange<Double>? {
        switch content {
        case .number(let range): range
        case .truth: 0...1
        case .custom(let format): format.range
        case .word, .text, .numbers, .structure: nil
        }
    }

    /// Whether statistics can be made of it.
    public var isNumber: Bool { if case .truth = content { false } else { range != nil } }

    /// The words that it can be; nil when it is not a word.
    public var words: [String]? { if case .word(let words, _) = content { words } else { nil } }

    /// Whether a script gives it a string: any, or one of its words.
    public var isText: Bool {
        switch content {
        case .text, .word: true
        case .number, .truth, .numbers, .structure, .custom: false
        }
    }

    /// The octets of a string that a scenario gives to it.
    public func octets(of text: String) -> [UInt8] {
        if case .word(let words, let first) = content, let place = words.firstIndex(of: text) {
            return [UInt8(truncatingIfNeeded: place) &+ first]
        }
        return Array(text.utf8)
    }
}
