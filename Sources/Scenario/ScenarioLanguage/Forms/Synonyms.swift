import Devices
import Services

/// Words of other tools, with the keys and names of the language that they can mean, the likeliest first.
package enum Synonyms {
    package static let all = [keys, names, uuids].reduce(into: [:]) { all, more in all.merge(more) { $0 + $1 } }

    private static let uuids = Dictionary(ServiceRegistry.all.map { ("\($0.uuid)".lowercased(), [$0.name]) }) {
        first, _ in first
    }

    private static let names: [String: [String]] = [
        "away": ["link_loss"], "climb": ["ramp"], "corrupt": ["truncate"], "conn_params": ["parameters"],
        "connection_parameters": ["parameters"],
        "crash": ["restart", "link_loss"],
        "disappear": ["link_loss"], "displayed": ["said"], "error": ["att_error"], "eventually": ["seen"],
        "exists": ["seen"], "expected": ["seen"], "finished": ["ended"], "happens": ["seen"], "hr": ["heart_rate"],
        "hrs": ["heart_rate"], "latency": ["delay"], "line": ["ramp"], "linear": ["ramp"], "lost": ["disconnected"],
        "move": ["distance"], "moved": ["began"], "new_address": ["change_address"], "noise": ["walk"],
        "none": ["never"], "not": ["never"], "not_seen": ["never"],
        "offline": ["link_loss"], "out_of_range": ["link_loss"], "output": ["said"], "oximeter": ["pulse_oximeter"],
        "packet_loss": ["loss"], "pause": ["silence"], "print": ["said"], "printed": ["said"], "random": ["walk"],
        "power_cycle": ["restart"], "reboot": ["restart"], "received": ["delivered"], "reconnect": ["connected"],
        "reset": ["restart"], "rise": ["ramp"], "rsc": ["running_speed_and_cadence"],
        "running": ["running_speed_and_cadence"],
        "sequence": ["order"], "shown": ["said"], "signal": ["rssi"], "sinus": ["sine"], "spo2": ["pulse_oximeter"],
        "started": ["began"], "steps": ["fitness"], "stopped": ["ended"], "table": ["csv", "list"],
        "temperature": ["health_thermometer"], "thermometer": ["health_thermometer"], "unbond": ["forget_bond"],
        "unpair": ["forget_bond"], "update": ["set"], "value": ["delivered"], "write": ["written"],
    ]

    private static let keys: [String: [String]] = [
        "accept_list": ["only_bonded"], "action": ["do"], "actions": ["script"], "addr": ["address"], "after": ["when"],
        "amount": ["by"],
        "asserts": ["expect"], "assertions": ["expect"], "at": ["when"], "bd_addr": ["address"],
        "bdaddr": ["address"], "begin": ["start"], "bpm": ["value", "to"], "bytes": ["octets"], "cmd": ["do"],
        "command": ["do"], "comment": ["note"], "condition": ["if"], "count": ["times", "nth"],
        "data": ["octets", "value"],
        "description": ["note"], "device": ["of", "devices"], "duration": ["for", "over", "limit", "period", "within"],
        "entity": ["of"], "every": ["period"], "expectations": ["expect"], "expected": ["expect"],
        "frequency": ["rate"], "from": ["start", "since"], "hex": ["octets"], "imports": ["include"],
        "in": ["over", "within"], "includes": ["include"], "initial": ["start", "value"],
        "interval": ["period", "every"], "kind": ["service", "do", "expect", "event", "curve"], "label": ["name"],
        "length": ["for", "over", "per"], "level": ["value", "to"], "mac": ["address"], "mac_address": ["address"],
        "measurement": ["value"], "octets": ["value"], "peripheral": ["of", "devices"], "peripherals": ["devices"],
        "probability": ["chance"], "random_seed": ["seed"], "remark": ["note"],
        "repeat": ["times", "every"], "rules": ["script"], "sensors": ["services"], "service_uuid": ["uuid"],
        "steps": ["script", "step", "pieces"], "target": ["of"], "time": ["when", "at"], "timeline": ["script"],
        "timeout": ["within", "limit"], "title": ["name"], "to": ["end", "until"],
        "type": ["service", "do", "expect", "event", "curve", "format", "kind"], "value": ["to"],
        "vars": ["variables"], "version": ["lubdub"], "whitelist": ["only_bonded"], "window": ["within", "per"],
        "within": ["max"],
    ]
}
