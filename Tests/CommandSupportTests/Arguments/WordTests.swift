import Basics
import CommandSupport
import Testing

@Suite struct WordTests {
    @Test func `Exit statuses`() {
        let codes: [ExitCode] = [.success, .failure, .usage, .environment, .internalError, .signal(2), .signal(15)]
        #expect(codes.map(\.status) == [0, 1, 2, 3, 4, 130, 143])
    }
}
