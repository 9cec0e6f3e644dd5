import Basics
import Devices
import Documents
import ScenarioModel

/// Finds the services that others include.  Core 6.0, Vol 3, Part G, section 3.2.
struct IncludeReader {
    private var places: [String: Int] = [:]

    /// The services of a device in their order, of which those with the id of an earlier one do not count.
    init(_ cursors: [Cursor]) {
        for cursor in cursors {
            guard let id = cursor["id"]?.string ?? cursor["service"]?.string, places[id] == nil else { continue }
            places[id] = places.count
        }
    }

    /// The places of the services in a list of ids.
    func places(_ cursor: Cursor?) -> [Int] {
        var taken: Set<Int> = []
        return (cursor?.items ?? []).compactMap { item in
            guard let id = item.string else { return nil }
            guard let place = places[id] else {
                item.note(.unknownEntity, "this device has no service \(id.quoted)", help: help(for: id))
                return nil
            }
            if !taken.insert(place).inserted {
                item.note(.repeatedName, "the list has \(id.quoted) twice", help: "delete one")
            }
            return place
        }
    }

    private func help(for id: String) -> String? {
        let known = places.keys.sorted()
        if let meant = closestMatch(to: id, in: known) { return "did you mean \(meant.quoted)?" }
        return known.count > 40 ? nil : "its services are \(known.joined(separator: ", "))"
    }

    /// Notes secondary services that no other includes, and services that include themselves through others.
    func noteDeviations(of services: [(service: Service, cursor: Cursor)]) {
        let includes = services.map(\.service.configured.declaration.includes)
        var includers: [[Int]] = services.map { _ in [] }
        for (place, included) in includes.enumerated() {
            for other in included where includers.indices.contains(other) { includers[other].append(place) }
        }
        for (place, entry) in services.enumerated()
        where entry.service.configured.declaration.isSecondary && includers[place].isEmpty {
            entry.cursor["secondary"]?.noteDeviation(
                "no other service includes this one, so that no client finds it", "3.1")
        }
        // What remains after removing services that include none of the rest.
        var left = includes.map(\.count)
        var ready = left.indices.filter { left[$0] == 0 }
        while let place = ready.popLast() {
            for other in includers[place] {
                left[other] -= 1
                if left[other] == 0 { ready.append(other) }
            }
        }
        for place in left.indices where left[place] > 0 {
            services[place].cursor["includes"]?.noteDeviation(
                "a service includes itself, directly or through others", "3.2")
        }
    }
}
