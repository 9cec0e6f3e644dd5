import CheckCatalogue
import Testing

@testable import Checks

@Suite struct CatalogueTests {
    private static let ids = Check.all.map(\.id)

    private static func isInSIGForm(_ id: String) -> Bool { id.contains { $0.isUppercase } }

    @Test func `ids are unique, and Lubdub's are lowercase`() {
        #expect(Set(Self.ids).count == Self.ids.count)
        for id in Self.ids where !Self.isInSIGForm(id) {
            #expect(id.allSatisfy { $0 == "/" || $0 == "_" || $0.isNumber || $0.isLowercase }, "\(id)")
        }
    }

    @Test func `every id in the SIG's form is in the SIG's list`() {
        for id in Self.ids where Self.isInSIGForm(id) { #expect(sigTestCases.contains(id), "\(id)") }
    }

    @Test(arguments: ["HRS/SEN/", "HRP/SEN/", "HTS/SEN/", "HTP/SEN/", "DIS/SR/", "BAS/SR/", "GATT/SR/", "SM/PER/"])
    func `every test case of a SIG suite exists`(suite: String) {
        let expected = sigTestCases.filter { $0.hasPrefix(suite) }
        #expect(expected.count > 2)
        #expect(expected.subtracting(Self.ids).isEmpty)
    }
}
