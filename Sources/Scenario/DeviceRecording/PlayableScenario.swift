package import Documents
import ScenarioLanguage

/// A recorded scenario that validation accepts.
package struct PlayableScenario {
    /// The scenario.
    package private(set) var root: Node
    /// The table to which it refers; nil if it does not.
    package private(set) var table: RecordedTable?
    /// The problems of the recording as it was: without the parts that they name, it is valid.
    package private(set) var omissions: [Problem] = []
    /// The parts that are contrary to a specification and played all the same.
    package private(set) var warnings: [Problem] = []

    /// How many services and characteristics it has.
    package var counts: (services: Int, characteristics: Int) {
        let services = root.recordedServices
        return (services.count, services.reduce(0) { $0 + $1.characteristics.count })
    }

    /// Each removal can show what it was required for.
    private static let maximumRounds = 64

    /// Validates the scenario as the file `path`, with its table next to it, and leaves out the smallest parts that have problems.
    ///
    /// Throws the problems that cannot be solved so.
    package init(_ recording: RecordedScenario, path: String) throws(Unplayable) {
        (root, table) = (recording.root, recording.table())
        for _ in 0..<Self.maximumRounds {
            let (scenario, values) = (Array(root.indentedJSON.utf8), table.map { Array($0.text.utf8) })
            let reading = ScenarioFile.read(path) { $0 == path ? scenario : values }
            guard !reading.problems.isEmpty || reading.scenario == nil else {
                warnings = reading.warnings
                return
            }
            let places = reading.problems.map { problem in
                problem.file == path ? root.removablePlace(NodePlace(problem.path)) : nil
            }
            let found = Set(places.compactMap(\.self))
            guard !found.isEmpty else { throw Unplayable(problems: reading.problems) }
            for (problem, place) in zip(reading.problems, places) where place != nil { omissions.append(problem) }
            root = root.removing(found.map { $0.steps[...] })
            table = recording.table(of: root.recordedPaths)
        }
        throw Unplayable(problems: omissions)
    }

    /// Why no scenario plays a recorded device.
    package struct Unplayable: Error {
        package let problems: [Problem]
    }
}

/// A place in a document: `devices[0].services[2].uuid`.
private struct NodePlace: Hashable {
    enum Step: Hashable {
        case key(String)
        case item(Int)
    }

    var steps: [Step] = []

    /// The place up to the first part of the path that is none.
    init(_ path: String) {
        for word in path.split(separator: ".") {
            let parts = word.split(separator: "[", omittingEmptySubsequences: false)
            steps.append(.key(String(parts[0])))
            for part in parts.dropFirst() {
                guard part.hasSuffix("]"), let index = Int(part.dropLast()) else { return }
                steps.append(.item(index))
            }
        }
    }
}

extension Node {
    /// The characteristics of recorded devices that have values in a table: `heart_rate/heart_rate_measurement`.
    fileprivate var recordedPaths: Set<String> {
        var paths: Set<String> = []
        for (service, characteristics) in recordedServices {
            for characteristic in characteristics where characteristic["recording"] != nil {
                paths.insert("\(service["id"]?.string ?? "")/\(characteristic["id"]?.string ?? "")")
            }
        }
        return paths
    }

    /// The services of the devices, with their characteristics.
    fileprivate var recordedServices: [(service: Node, characteristics: [Node])] {
        let devices = self["devices"]?.items ?? []
        return devices.flatMap { $0["services"]?.items ?? [] }.map { ($0, $0["characteristics"]?.items ?? []) }
    }

    /// What is at the steps; nil if nothing is.
    private func node(at steps: ArraySlice<NodePlace.Step>) -> Node? {
        switch (steps.first, value) {
        case (nil, _): self
        case (.key(let key), _): self[key]?.node(at: steps.dropFirst())
        case (.item(let index), .array(let items)):
            items.indices.contains(index) ? items[index].node(at: steps.dropFirst()) : nil
        case (.item, _): nil
        }
    }

    /// The place itself, or the innermost one around it that exists; nil for a device and what is outside.
    fileprivate func removablePlace(_ place: NodePlace) -> NodePlace? {
        var place = place
        while node(at: place.steps[...]) == nil { place.steps.removeLast() }
        return place.steps.count > 2 && place.steps[0] == .key("devices") ? place : nil
    }

    /// The same without what is at these places.
    fileprivate func removing(_ places: [ArraySlice<NodePlace.Step>]) -> Node {
        let inner = Dictionary(grouping: places.filter { !$0.isEmpty }) { $0.first }
        func changed(_ node: Node, _ step: NodePlace.Step) -> Node? {
            guard let own = inner[step] else { return node }
            return own.contains { $0.count == 1 } ? nil : node.removing(own.map { $0.dropFirst() })
        }
        switch value {
        case .array(let items):
            return Node(.array(items.enumerated().compactMap { changed($1, .item($0)) }), at: position)
        case .object(let members):
            let kept = members.compactMap { member in
                changed(member.node, .key(member.key)).map {
                    Member(key: member.key, position: member.position, node: $0)
                }
            }
            return Node(.object(kept), at: position)
        case .null, .bool, .number, .string, .unknown: return self
        }
    }
}
