import Documents
package import Drivers
package import ScenarioLanguage
package import ScenarioModel
import VirtualWorld

/// Does what lines say, whoever sends them: clients of the control socket, or the page.
package struct ControlDesk: Sendable {
    /// Reads lines about the scenario.
    package let reader: InstructionReader
    private let world: LiveWorld

    package init(_ scenario: Scenario, _ world: LiveWorld) {
        reader = InstructionReader(scenario)
        self.world = world
    }

    /// Answers a line of someone with a name; only on the loop's thread.
    package func answer(_ line: [UInt8], as name: String) -> ControlAnswer {
        let reader = reader
        return world.assumeIsolated { live in
            do throws(Problem) {
                switch try reader.read(line, at: live.visit { _, now in now }) {
                case .status: return .status(live.visit { world, _ in world.status })
                case .event(let paths): return .event(of: paths)
                case .act(let rule): return ControlAnswer(live.act(rule, as: name))
                }
            } catch { return ControlAnswer(error) }
        }
    }
}
