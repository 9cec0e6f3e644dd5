import Basics
import Documents
import Expectations
import Testing

@testable import Conformance

@Suite struct TimeInReportsTests {
    private static func report(_ time: Report.Time?, _ compute: String? = nil, id: String = "a") -> Report {
        var report = Report(version: "1", seed: 7)
        (report.time, report.compute) = (time, compute)
        report.add(id, Outcome(.pass, title: id, seed: 7, duration: .seconds(1)))
        return report
    }

    @Test(arguments: [nil, .virtual, .real, .mixed] as [Report.Time?], [nil, "1ms..5ms"])
    func `Each format says which time it was, and what turns took`(time: Report.Time?, compute: String?) throws {
        let report = Self.report(time, compute)
        let (read, problems) = JSONReport.read(Array(JSONReport.text(of: report).utf8), file: "a.json")
        #expect(problems.isEmpty)
        #expect(read == report)
        let lastLine = JSONReport.lastLine(of: report)
        let words = ["\"time\": \(time?.rawValue.quoted ?? "")", "\"compute\": \(compute?.quoted ?? "")"]
        #expect(lastLine.contains(words[0]) == (time != nil))
        #expect(lastLine.contains(words[1]) == (compute != nil))
        let unit = JUnitReport.text(of: report)
        #expect(unit.contains("name=\"time\" value=\"\(time?.rawValue ?? "")\"") == (time != nil))
        #expect(unit.contains("name=\"compute\" value=\"\(compute ?? "")\"") == (compute != nil))
        let column = ReportColumn("a", report)
        for page in [HTMLReport.text(of: [column]), MarkdownReport.text(of: [column])] {
            let words = time == .mixed ? "virtual for some" : time?.rawValue
            #expect(page.contains(", which was \(words ?? "")") == (time != nil))
            #expect(page.contains("each turn of the client took 1ms..5ms") == (compute != nil))
        }
    }

    @Test(
        arguments: [
            ([.virtual, .virtual], .virtual), ([.virtual, .real], .mixed), ([.virtual, nil], .mixed),
            ([nil, nil], nil),
        ] as [([Report.Time?], Report.Time?)])
    func `A merged report has the time of all its parts`(times: [Report.Time?], time: Report.Time?) throws {
        let parts = times.enumerated().map { Report.Part("\($0)", Self.report($1, id: "\($0)")) }
        #expect(try Report(merging: parts).time == time)
    }
}
