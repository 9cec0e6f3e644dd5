package import Basics
import Documents
import Drivers
import ScenarioModel
package import VirtualWorld

/// The reply to a line on the control socket: one line of JSON.
package enum ControlAnswer: Sendable {
    /// The action was done, or its `chance` decided against it.
    case done(Bool)
    case status(WorldStatus)
    /// The pattern of an event is correct, and the event can have these paths as `of` in the event log.
    case event(of: [String])
    /// What is wrong, and its key; empty when the whole line is wrong.
    case error(String, at: String)

    init(_ problem: Problem) { self = .error(problem.summary, at: problem.path) }

    init(_ outcome: LiveWorld.Outcome) {
        switch outcome {
        case .done(let isDone): self = .done(isDone)
        case .notPlaying: self = .error("the devices are not switched on yet", at: "")
        case .refused(let key, let reason): self = .error(reason, at: key)
        }
    }
}

extension ControlAnswer: JSONWritable {
    package func write(to text: inout JSONText) {
        switch self {
        case .done(true): text.append("{\"ok\": true}")
        case .done(false): text.append("{\"ok\": true, \"done\": false}")
        case .error(let message, let path):
            text.append(text: "{\"error\": \(message.quoted), \"at\": \(path.quoted)}")
        case .event(let paths):
            text.append("{\"ok\": true, \"of\": ")
            text.append(list: paths) { $0.append(quoted: $1) }
            text.append("}")
        case .status(let status):
            text.append(text: "{\"ok\": true, \"t\": \(status.now), \"devices\": ")
            Self.write(status.devices, to: &text) { device in
                var members = [
                    "\"id\": \(device.id.quoted)", "\"clients\": \(device.mtus.count)", "\"mtu\": \(device.mtus)",
                ]
                if let bpm = device.bpm { members.append("\"bpm\": \(bpm)") }
                if let isTouching = device.isTouching { members.append("\"contact\": \(isTouching)") }
                return members
            }
            text.append(", \"in_force\": ")
            Self.write(status.activeActions, to: &text) { force in
                var members = ["\"do\": \(force.kind.rawValue.quoted)"]
                if let entity = force.entity { members.append("\"of\": \(entity.quoted)") }
                members += ["\"rule\": \(force.rule.quoted)", "\"since\": \(force.begun)"]
                if let end = force.end { members.append("\"until\": \(end)") }
                return members
            }
            if let next = status.next {
                text.append(text: ", \"next\": {\"rule\": \(next.rule.quoted), \"at\": \(next.due)}")
            }
            text.append("}")
        }
    }

    private static func write<Item>(_ items: [Item], to text: inout JSONText, members: (Item) -> [String]) {
        let objects = items.map { "{" + members($0).joined(separator: ", ") + "}" }
        text.append(text: "[" + objects.joined(separator: ", ") + "]")
    }
}
