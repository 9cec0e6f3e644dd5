import Basics
import FoundationEssentials
import Testing

@testable import Screens

@Suite struct GoldenScreenTests {
    /// The files show what a person would see; look at a change of them, which LUBDUB_WRITE=1 makes.
    @Test(arguments: [
        ("80x24", 80, 24, Glyphs.unicode), ("120x40", 120, 40, .unicode), ("40x10", 40, 10, .unicode),
        ("80x24-ascii", 80, 24, .ascii),
    ]) func `a screen with everything`(name: String, width: Int, height: Int, glyphs: Glyphs) throws {
        try check(Wearer.dashboard(), name, width, height, glyphs)
    }

    @Test func `a screen before the first value`() throws {
        var dashboard = Dashboard(rows: ["battery", "temperature"])
        dashboard.take(.link(.scanning), at: .start)
        dashboard.take(.problem("no connection to Lubdub HRM: it was not heard in time"), at: .start)
        try check(dashboard, "empty", 80, 24, .unicode)
    }

    @Test(arguments: [("help-80x24", 80, 24), ("help-40x30", 40, 30)])
    func `a page that explains the screen`(name: String, width: Int, height: Int) throws {
        try check(HelpPage.rows(width: width, height: height, .ascii), name, width, height)
    }

    private func check(_ dashboard: Dashboard, _ name: String, _ width: Int, _ height: Int, _ glyphs: Glyphs) throws {
        try check(dashboard.rows(width: width, height: height, glyphs, at: Wearer.now), name, width, height)
    }

    private func check(_ rows: [ScreenRow], _ name: String, _ width: Int, _ height: Int) throws {
        let folder = #filePath.dropLast("GoldenScreenTests.swift".count)
        let path = "\(folder)Screens/\(name).txt"
        let text = rows.map { $0.text + "\n" }.joined()
        if ProcessInfo.processInfo.environment["LUBDUB_WRITE"] != nil {
            try Data(text.utf8).write(to: URL(filePath: path))
        }
        let expected = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == expected, "\(name):\n\(text)")
        #expect(rows.count == height)
        for row in rows { #expect(row.columns <= width) }
    }
}

@Suite struct SizeTests {
    @Test func `every size has its rows, and none is too wide`() {
        let dashboard = Wearer.dashboard()
        let small = (-1...9).flatMap { width in (-1...17).map { (width, $0) } }
        let wide = [Int.min, 13, 39, 40, 71, 72, 73, 500, .max].map { ($0, 24) }
        let high = [Int.min, 18, 30, 99, .max].map { (80, $0) }
        for (width, height) in small + wide + high {
            for glyphs in [Glyphs.unicode, .ascii] {
                for rows in [
                    dashboard.rows(width: width, height: height, glyphs, at: Wearer.now),
                    HelpPage.rows(width: width, height: height, glyphs),
                ] {
                    #expect(rows.count == min(max(0, height), 1000))
                    for row in rows { #expect(row.columns <= min(max(0, width), 1000)) }
                    for row in rows where glyphs == .ascii { #expect(row.text.utf8.count == row.columns) }
                }
            }
        }
    }

    /// A part of a number would be another number.
    @Test func `every number is whole or not there`() {
        var dashboard = Wearer.dashboard()
        dashboard.take(.heartRate(65535, contact: true, energy: 65535), at: .start)
        dashboard.take(.steps(.max), at: .start)
        func numbers(width: Int, height: Int) -> Set<String> {
            let rows = dashboard.rows(width: width, height: height, .unicode, at: Wearer.now)
            let words = rows.flatMap { $0.text.split { !($0.isNumber || ".,:".contains($0)) } }
            return Set(words.filter { $0.contains(where: \.isNumber) }.map(String.init))
        }
        let heights = [1, 5, 10, 24]
        var whole: Set = ["2", "3", "4", "5"]  // seconds of an ECG
        for height in heights + [60] { whole.formUnion(numbers(width: 300, height: height)) }
        for width in 0...100 {
            for height in heights {
                let cut = numbers(width: width, height: height).subtracting(whole)
                #expect(cut.isEmpty, "\(width)x\(height): \(cut)")
            }
        }
    }

    @Test func `one row is the heart rate`() {
        let rows = Wearer.dashboard().rows(width: 80, height: 1, .unicode, at: Wearer.now)
        #expect(rows.map(\.text) == [" 77 bpm  contact yes  battery 87 %  temperature 36.55 °C"])
    }

    @Test func `all rows are used, and the charts share the rest`() {
        for height in 10...60 {
            let facts = [3, 4, 7][height % 3]
            let layout = Layout(
                width: 80, height: height, facts: facts, hasRhythm: true, hasECG: true, hasSteps: true)
            let parts = [
                layout.header, layout.gap, layout.pulse, layout.statistics, layout.rhythm, layout.chart, layout.ecg,
                layout.steps,
                layout.footer,
            ]
            #expect(parts.reduce(0, +) == height)
            #expect((0...1) ~= layout.chart - layout.ecg)
        }
    }
}
