package import Characteristics
package import GATT

/// A value of a service, by its index in ``ServiceDescription/values``.
package struct ValueID: Hashable, Sendable {
    package let index: Int
    private let carrier: Int

    /// A value within the characteristic value at `carrier`; its own index when it is that value.
    package init(index: Int, carrier: Int) { (self.index, self.carrier) = (index, carrier) }

    /// The characteristic value that carries this value: itself, if it is one.
    package var characteristicValue: ValueID { ValueID(index: carrier, carrier: carrier) }
}

extension RawRepresentable<Int> {
    /// The case of a sensor's values with this index; nil for any other.
    package init?(_ id: ValueID) { self.init(rawValue: id.index) }
}

/// A value of a service, with its index and its characteristic.
package struct ServiceValue: Sendable {
    package let id: ValueID
    /// The index of its characteristic in ``ServiceDescription/characteristics``.
    package let characteristic: Int
    package let properties: CharacteristicProperties
    /// Its name, unit and range.
    package let description: ValueDescription

    /// Its name in paths, after the service; empty for the main value.
    package var name: String { description.name }
    /// Whether the value is part of another one.
    package var isCarried: Bool { id != id.characteristicValue }
}

/// A value that events, actions and expectations can name.
package struct ValueDescription: Sendable {
    /// The type of a value.
    package enum Content: Sendable {
        case number(ClosedRange<Double>)
        /// 1 for true and 0 for false.
        case truth
        /// One of these words, which are numbered from `first` on.
        case word([String], first: UInt8)
        case text
        case numbers
        /// An object, or unnamed octets.
        case structure
        /// The format that a scenario defines for a custom characteristic.
        case custom(ValueFormat)
    }

    /// Its name in paths, after the service's name; empty for the main value.
    package let name: String
    package let content: Content
    /// The key in the object that carries it; nil when the value is not an object.
    package let key: String?
    /// The unit for display: `%`; empty for a value without a unit.
    package let unit: String
    /// The label for display: `skin contact`; empty when name or key suffices.
    package let label: String
    /// An example of an answer that an operator types; empty for the usual one.
    package let example: String
    /// Whether a script can set it; otherwise it is derived from others.
    package let isSettable: Bool
    /// Whether a script can notify a number or a word in its place.
    package let isEncodable: Bool
    /// The maximum difference between the number that a client reports and the number sent to it.
    package let tolerance: Double
    /// The field that a device needs for the value; nil: every device has it.
    package let field: String?

    /// A value of a characteristic; without a name it is the main value.
    package init(
        _ content: Content, named name: String = "", key: String? = nil, unit: String = "", label: String = "",
        example: String = "",
        isSettable: Bool = true, isEncodable: Bool = true, tolerance: Double = 0, field: String? = nil
    ) {
        (self.name, self.content, self.key, self.unit) = (name, content, key, unit)
        (self.label, self.example) = (label, example)
        (self.isSettable, self.isEncodable, self.tolerance, self.field) = (isSettable, isEncodable, tolerance, field)
    }

    /// The range of its numbers; nil when it is not a number.
    package var range: ClosedRange<Double>? {
        switch content {
        case .number(let range): range
        case .truth: 0...1
        case .custom(let format): format.range
        case .word, .text, .numbers, .structure: nil
        }
    }

    /// Whether statistics apply to it.
    package var isNumber: Bool { if case .truth = content { false } else { range != nil } }

    /// Its words; nil when it is not a word.
    package var words: [String]? { if case .word(let words, _) = content { words } else { nil } }

    /// Whether scripts set it to a string: any, or one of its words.
    package var isText: Bool {
        switch content {
        case .text, .word: true
        case .number, .truth, .numbers, .structure, .custom: false
        }
    }

    package func octets(of text: String) -> [UInt8] {
        if case .word(let words, let first) = content, let place = words.firstIndex(of: text) {
            return [UInt8(truncatingIfNeeded: place) &+ first]
        }
        return Array(text.utf8)
    }
}
