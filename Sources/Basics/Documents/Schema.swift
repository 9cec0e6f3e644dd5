import Basics

extension Grammar {
    /// This grammar as JSON Schema, draft 2020-12.
    ///
    /// A string in the format `placeholder` may replace every value except kinds and the values of `fixed` keys.
    package func schema(title: String, placeholder: Shape.Form? = nil, fixed: [String] = []) -> String {
        let writer = SchemaWriter(grammar: self, placeholder: placeholder, fixed: fixed)
        let placeholders = placeholder.map { [(name: "placeholder", shape: Shape.form($0))] } ?? []
        let definitions = (placeholders + definitions).map { "    \($0.name.quoted): \(writer.text(of: $0.shape))" }
        return """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": \(title.quoted),
              "$defs": {
            \(definitions.joined(separator: ",\n"))
              },
              "allOf": [\(writer.text(of: root))]
            }

            """
    }
}

/// Writes shapes as JSON Schema, one line per definition, so that diffs show which definition changed.
private struct SchemaWriter {
    let grammar: Grammar
    let placeholder: Shape.Form?
    let fixed: [String]

    func text(of shape: Shape) -> String {
        switch shape {
        case .anything: "true"
        case .null: #"{"type": "null"}"#
        case .boolean: #"{"type": "boolean"}"#
        case .version(let version): text(of: .integer(version...version))
        case .integer(let range):
            #"{"type": "integer", "minimum": \#(range.lowerBound)\#(range.upperBound == .max ? "" : ", \"maximum\": \(range.upperBound)")}"#
        case .number(let range) where range.upperBound == .greatestFiniteMagnitude: #"{"type": "number"}"#
        case .number(let range):
            #"{"type": "number", "minimum": \#(range.lowerBound.plain), "maximum": \#(range.upperBound.plain)}"#
        case .text: #"{"type": "string"}"#
        case .form(let form): #"{"type": "string", "pattern": \#(form.pattern.quoted)}"#
        case .name(let names): #"{"enum": [\#(names.map(\.quoted).joined(separator: ", "))]}"#
        case .list(let item, let count):
            #"{"type": "array", "items": \#(replaceable(item)), "minItems": \#(count.lowerBound)\#(count.upperBound == .max ? "" : ", \"maxItems\": \(count.upperBound)")}"#
        case .object(let fields): object(fields)
        case .map(let form, let value):
            #"{"type": "object", "propertyNames": {"pattern": \#(form.pattern.quoted)}, "additionalProperties": \#(replaceable(value))}"#
        case .kinds(let key, let kinds):
            #"{"type": "object", "required": [\#(key.quoted)], "properties": {\#(key.quoted): \#(text(of: .name(kinds.map(\.name))))}, "allOf": [\#(kinds.map { conditional(key, $0) }.joined(separator: ", "))]}"#
        case .any(let shapes): #"{"anyOf": [\#(shapes.map(text(of:)).joined(separator: ", "))]}"#
        case .definition(let name): ##"{"$ref": "#/$defs/\##(name)"}"##
        }
    }

    func conditional(_ key: String, _ kind: Shape.Kind) -> String {
        #"{"if": {"properties": {\#(key.quoted): {"const": \#(kind.name.quoted)}}}, "then": \#(object(kind.fields, also: key))}"#
    }

    func object(_ fields: [Shape.Field], also key: String? = nil) -> String {
        let all = fields + grammar.everywhere
        let kind = key.map { ["\($0.quoted): true"] } ?? []
        let properties = kind + all.map { "\($0.key.quoted): \(described($0))" }
        let required = all.filter(\.isRequired).map(\.key.quoted)
        return
            #"{"type": "object", "properties": {\#(properties.joined(separator: ", "))}, "required": [\#(required.joined(separator: ", "))], "additionalProperties": false}"#
    }

    func described(_ field: Shape.Field) -> String {
        let shape = fixed.contains(field.key) ? text(of: field.shape) : replaceable(field.shape)
        return #"{"description": \#(field.summary.quoted), "allOf": [\#(shape)]}"#
    }

    func replaceable(_ shape: Shape) -> String {
        switch (shape, placeholder) {
        case (.anything, _), (.text, _), (_, nil): text(of: shape)
        default: ##"{"anyOf": [\##(text(of: shape)), {"$ref": "#/$defs/placeholder"}]}"##
        }
    }
}
