extension BinaryInteger {
    /// `1 case`, `2 cases`
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
