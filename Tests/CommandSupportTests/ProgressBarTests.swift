import Testing

@testable import CommandSupport

@Suite struct ProgressBarTests {
    @Test(arguments: [
        (0.0, "[                    ]   0 %  1 of 8"), (0.4, "[########            ]  40 %  1 of 8"),
        (0.999, "[################### ]  99 %  1 of 8"), (1, "[####################] 100 %  1 of 8"),
        (7, "[####################] 100 %  1 of 8"), (-1, "[                    ]   0 %  1 of 8"),
        (.nan, "[                    ]   0 %  1 of 8"),
    ])
    func `The bar shows the part, and its number`(part: Double, line: String) {
        #expect(ProgressBar.line(part, "1 of 8", columns: 80) == line)
    }

    @Test func `A narrow terminal has no bar, and the beginning of the text`() {
        #expect(ProgressBar.line(0.5, "12345678", columns: 38).count == 38)
        #expect(ProgressBar.line(0.5, "12345678", columns: 37) == "12345678")
        #expect(ProgressBar.line(0.5, "12345678", columns: 5) == "12345")
        #expect(ProgressBar.line(nil, "12345678", columns: 80) == "12345678")
        for columns in [0, -1, Int.min] { #expect(ProgressBar.line(0.5, "1", columns: columns).isEmpty) }
    }

    @Test(arguments: [
        (10, 0.5, "; about 10 s left"), (10, 0.01, "; about 16 min left"), (10, 0.001, ""), (10, 1, ""),
        (1, 0.99, "; about 1 s left"), (10, 0.08, "; about 115 s left"),
    ])
    func `The rest is estimated from what is done`(seconds: Int, part: Double, text: String) {
        #expect(ProgressBar.rest(after: .seconds(seconds), part) == text)
    }
}
