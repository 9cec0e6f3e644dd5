extension FixedWidthInteger {
    /// The whole number nearest to 0 and not beyond it; the nearest that fits for what does not, and 0 for what is none.
    public init(saturating number: Double) {
        self = number.isNaN ? 0 : Self(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
    }
}
