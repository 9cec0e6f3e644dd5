extension FixedWidthInteger {
    /// `number` rounded towards zero and clamped to the range of this type; NaN becomes 0.
    public init(saturating number: Double) {
        self = number.isNaN ? 0 : Self(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
    }
}
