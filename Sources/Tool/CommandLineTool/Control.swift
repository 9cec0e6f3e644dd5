import Basics
import CommandSupport
import Documents
import Screens

let controlGrammar = CommandGrammar(
    "control", "Send actions to a running serve, or query its status",
    operands: [
        .required("SOCKET", "unix:PATH, as given to serve --control"),
        .repeated(
            "WORD",
            """
            One of the following requests; the reply is one line of JSON:
            status                          query devices, clients and active actions
            ACTION [TARGET] [KEY=VALUE...]  start any action that a script can contain, for example: silence strap for=8s
            clear [TARGET]                  end all active actions, or those on one target
            '{"do": ...}'                   send this request unchanged, for example: '{"do": "set", "of": "heart_rate", "to": 300}'
            """),
    ])

func control(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    let address = try controlAddress(invocation.operands.first ?? "", named: "SOCKET")
    let line = try orFail { try ControlWords.line(of: Array(invocation.operands.dropFirst())) }
    let reply = try send(line, to: address)
    Console.print("\(reply)")
    let node = try? Node(json: Array(reply.utf8), file: "")
    return node?["ok"]?.value == .bool(true) ? .success : .failure
}
