package import Documents
import TextFormatting

extension Tables {
    /// What authors write for keys and values of the language.
    package static let advice = Grammar.Advice(synonyms: synonyms, correction: correction, anywhere: variable)

    /// Those for an included file.
    static let includedAdvice = Grammar.Advice(synonyms: synonyms, correction: correction, anywhere: variable) { key in
        scenarioFields.contains { $0.key == key }
            ? "an included file cannot have \(key.quoted): write it in the scenario that includes this file" : nil
    }

    /// What is probably meant as a variable: `${rest} s`, `$rest`, `{{rest}}`.
    @Sendable private static func variable(_ text: String) -> String? {
        guard let match = text.wholeMatch(of: #/(.*?)\$?(?:\{\{|\$|\$\{) *([a-z][a-z0-9_]*) *\}{0,2}(.*?)/#),
            text.contains("$") || text.contains("{{")
        else { return nil }
        let isPart = !match.1.isEmpty || !match.3.isEmpty
        return "write \("${\(match.2)}".quoted)" + (isPart ? ": a variable replaces the whole string" : "")
    }

    @Sendable private static func correction(_ definition: String, _ found: Node) -> String? {
        switch (definition, found.value) {
        case ("curve", .array(let nodes)) where !nodes.isEmpty && nodes.allSatisfy(\.isNumber):
            let values = nodes.count <= 8 ? found.json : "[…]"
            let list = #"write {"curve": "list", "values": \#(values), "period": "1 s"}"#
            guard nodes.count == 2 else { return list }
            return list
                + #", or {"curve": "ramp", "start": \#(nodes[0].json), "end": \#(nodes[1].json), "over": "10 s"}"#
        case ("event", .array), ("moment", .array):
            return "write one event or time here, and a rule or expectation for each of the others"
        default: return nil
        }
    }

    /// Words of other tools, with the keys and names that they can mean, the likeliest first.
    private static let synonyms = keySynonyms.merging(nameSynonyms) { $0 + $1 }

    private static let nameSynonyms: [String: [String]] = [
        "away": ["link_loss"], "constant": ["list"], "corrupt": ["truncate"], "crash": ["power_off"],
        "disappear": ["link_loss"], "displayed": ["said"], "error": ["att_error"], "eventually": ["seen"],
        "exists": ["seen"], "expected": ["seen"], "finished": ["ended"], "happens": ["seen"], "hr": ["heart_rate"],
        "hrs": ["heart_rate"], "latency": ["delay"], "linear": ["ramp"], "lost": ["disconnected"],
        "move": ["distance"], "moved": ["began"], "new_address": ["change_address"], "noise": ["walk"],
        "none": ["never"], "not": ["never"], "not_seen": ["never"],
        "out_of_range": ["link_loss"], "output": ["said"], "oximeter": ["pulse_oximeter"],
        "packet_loss": ["loss"], "pause": ["silence"], "print": ["said"], "printed": ["said"], "random": ["walk"],
        "reboot": ["power_off"], "received": ["delivered"], "reconnect": ["connected"], "reset": ["power_off"],
        "restart": ["power_off"], "rsc": ["running_speed_and_cadence"], "running": ["running_speed_and_cadence"],
        "sequence": ["order"], "shown": ["said"], "signal": ["rssi"], "sinus": ["sine"], "spo2": ["pulse_oximeter"],
        "started": ["began"], "steps": ["fitness"], "stopped": ["ended"], "table": ["csv", "list"],
        "temperature": ["health_thermometer"], "thermometer": ["health_thermometer"], "unbond": ["forget_bond"],
        "unpair": ["forget_bond"], "update": ["set"], "value": ["delivered"], "write": ["written"],
    ]

    private static let keySynonyms: [String: [String]] = [
        "action": ["do"], "actions": ["script"], "addr": ["address"], "after": ["when"], "amount": ["by"],
        "asserts": ["expect"], "assertions": ["expect"], "at": ["when"], "bd_addr": ["address"],
        "bdaddr": ["address"], "begin": ["start"], "bpm": ["value", "to"], "bytes": ["octets"], "cmd": ["do"],
        "command": ["do"], "comment": ["note"], "count": ["times", "nth"], "data": ["octets", "value"],
        "description": ["note"], "device": ["of", "devices"], "duration": ["for", "over", "limit", "period", "within"],
        "entity": ["of"], "every": ["period"], "expectations": ["expect"], "expected": ["expect"],
        "frequency": ["rate"], "from": ["start", "since"], "hex": ["octets"], "imports": ["include"],
        "in": ["over", "within"], "includes": ["include"], "initial": ["start", "value"],
        "interval": ["period", "every"], "kind": ["service", "do", "expect", "event", "curve"], "label": ["name"],
        "length": ["for", "over", "per"], "level": ["value", "to"], "mac": ["address"], "mac_address": ["address"],
        "measurement": ["value"], "peripheral": ["of", "devices"], "peripherals": ["devices"],
        "probability": ["chance"], "random_seed": ["seed"], "remark": ["note"],
        "repeat": ["times", "every"], "rules": ["script"], "sensors": ["services"], "service_uuid": ["uuid"],
        "steps": ["script", "pieces"], "target": ["of"], "time": ["when", "at"], "timeline": ["script"],
        "timeout": ["within", "limit"], "title": ["name"], "to": ["end", "until"],
        "type": ["service", "do", "expect", "event", "curve", "format", "kind"], "value": ["to"],
        "vars": ["variables"], "version": ["lubdub"], "window": ["within", "per"], "within": ["max"],
    ]
}

extension Node {
    fileprivate var isNumber: Bool { if case .number = value { true } else { false } }
}
