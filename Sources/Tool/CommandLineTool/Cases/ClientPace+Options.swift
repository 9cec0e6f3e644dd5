import Basics
import Cases
import CommandSupport
import Linux

extension ClientPace {
    /// The pace of `--speed` and `--compute`. `obstacle`: the option that puts somebody into the case who is in real time,
    /// and why that is so.
    init(_ invocation: Invocation, realTimeFor obstacle: String?) throws(Obstacle) {
        let charge = try orFail {
            try invocation.value("--compute", as: "a duration such as 5ms, or a range such as 1ms..20ms, up to 60 s") {
                TurnCharge($0)
            }
        }
        let (word, speed) = (invocation.text("--speed") ?? "", try RunPlan.speed(invocation))
        if charge != nil, word == "auto" || [.real(1), nil].contains(speed) {
            throw Obstacle(.usage, "--compute needs virtual time: \(word == "auto" ? "use" : "add") --speed max")
        }
        guard let speed, speed != .real(1) else {
            self = .real
            return
        }
        if word == "auto" {
            if let obstacle { Console.warn("--speed auto takes real time because of \(obstacle)") }
            self = .automatic(TimeChoice(isVirtual: obstacle == nil))
            return
        }
        if let obstacle {
            throw Obstacle(.usage, "--speed \(word) cannot be combined with \(obstacle)")
        }
        if case .real(let factor) = speed {
            self = .virtual(VirtualTime(word, factor: factor, charge: charge))
        } else {
            self = .virtual(VirtualTime(word, charge: charge))
        }
    }
}
