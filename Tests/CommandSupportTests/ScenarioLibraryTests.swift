import Testing

@testable import CommandSupport

@Suite struct ScenarioLibraryTests {
    static let library = ScenarioLibrary(
        [
            .init("resting", isFolder: false), .init("recovery", isFolder: true),
            .init("recovery/away_long", isFolder: false), .init("recovery/silence", isFolder: false),
            .init("clients", isFolder: true), .init("clients/silence", isFolder: false),
            .init("devices", isFolder: true), .init("devices/polar_h10", isFolder: false),
            .init("running", isFolder: false), .init("running", isFolder: true),
            .init("running/hills", isFolder: false),
            .init("more", isFolder: true), .init("more/resting", isFolder: false),
        ], in: "/s")

    @Test(arguments: [
        ("resting", true, "/s/resting.json"), ("resting.json", true, "/s/resting.json"),
        ("resting", false, "/s/resting.json"), ("recovery", true, "/s/recovery"), ("recovery/", true, "/s/recovery"),
        ("recovery/away_long", true, "/s/recovery/away_long.json"), ("away_long", true, "/s/recovery/away_long.json"),
        ("scenarios/recovery", true, "/s/recovery"), ("scenarios/resting.json", false, "/s/resting.json"),
        ("polar_h10", false, "/s/devices/polar_h10.json"), ("clients/silence", true, "/s/clients/silence.json"),
        ("running", false, "/s/running.json"), ("running/", true, "/s/running"),
        ("running.json", true, "/s/running.json"), ("more/resting", false, "/s/more/resting.json"),
    ])
    func `A name, or its end, finds a file or a folder`(word: String, orFolder: Bool, path: String) throws {
        #expect(try Self.library.path(named: word, orFolder: orFolder) == path)
    }

    @Test(arguments: ["/tmp/resting", "./resting", "nothing.json", "my/resting", "sting.json", "recovery/sting"])
    func `A path that names no entry stays a path`(word: String) throws {
        #expect(try Self.library.path(named: word, orFolder: true) == nil)
    }

    @Test(arguments: [
        ("silence", true, #""silence" names several scenarios; write one of clients/silence, recovery/silence"#),
        ("running", true, #""running" names several scenarios; write one of running, running/"#),
        (
            "restin", true,
            "no file and no installed scenario is named \"restin\" (did you mean \"resting\"?); \"lubdub list\" prints "
                + "their names"
        ),
        (
            "polar_h11", false,
            "no file and no installed scenario is named \"polar_h11\" (did you mean \"polar_h10\"?); \"lubdub list\" "
                + "prints their names"
        ),
        ("zebra", true, "no file and no installed scenario is named \"zebra\"; \"lubdub list\" prints their names"),
        ("recovery", false, #""recovery" is a folder of scenarios, but this command needs one scenario"#),
    ])
    func `An unknown or ambiguous name is an error`(word: String, orFolder: Bool, message: String) {
        let error = #expect(throws: UsageError.self) { try Self.library.path(named: word, orFolder: orFolder) }
        #expect(error?.description == message)
    }

    @Test(arguments: [
        ("/usr/bin/lubdub", "", ["/usr/share/lubdub", "/usr/share/lubdub"]),
        ("/opt/lubdub/bin/lubdub", "", ["/opt/lubdub/share/lubdub", "/usr/share/lubdub"]),
        ("/bin/lubdub", "", ["/share/lubdub", "/usr/share/lubdub"]),
        (
            "/home/me/src/.build/debug/lubdub", "",
            ["/home/me/src/.build/share/lubdub", "/home/me/src", "/usr/share/lubdub"]
        ),
        ("", "", ["/usr/share/lubdub"]), ("/usr/bin/lubdub", "/elsewhere", ["/elsewhere"]),
    ])
    func `The folder is near the program`(program: String, variable: String, places: [String]) {
        #expect(ShareFolder.candidates(for: program, named: variable) { $0 == "/home/me/src" } == places)
    }
}
