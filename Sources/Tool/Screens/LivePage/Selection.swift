/// Which devices a page shows: those that match a text, a limited number at a time.
struct Selection: Hashable, Sendable {
    /// How many devices a page shows at a time.
    static let devicesPerPage = 20
    private static let longestText = 100

    /// A part of an id, a name or an address, in lower case; empty for all devices.
    let text: String
    /// From 0.
    let page: Int

    /// The selection with these words.
    init(_ text: String = "", page: Int = 0) {
        (self.text, self.page) = (String(text.prefix(Self.longestText)).lowercased(), max(0, page))
    }

    /// The number of matching devices on the pages before this one.
    var first: Int {
        let (count, isTooMany) = page.multipliedReportingOverflow(by: Self.devicesPerPage)
        return isTooMany ? .max : count
    }

    /// The selection that a request names: `?find=strap1&page=2`.
    init(_ request: Request) {
        self.init(request.parameter("find") ?? "", page: request.parameter("page").flatMap { Int($0) } ?? 0)
    }
}
