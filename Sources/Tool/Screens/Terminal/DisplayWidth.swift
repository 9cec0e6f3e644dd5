extension Character {
    /// The part of the character that all terminals draw with the same width.
    ///
    /// Terminals disagree on emoji sequences (variation selectors, joiners, modifiers), so only the base is drawn; flags are
    /// drawn as two letters.
    package var drawn: String {
        let scalars = unicodeScalars
        guard let base = scalars.first, scalars.count > 1 else { return String(self) }
        guard base.properties.isEmoji, !base.isASCII, !base.isRegionalIndicator else {
            return String(String.UnicodeScalarView(scalars.filter { !$0.isVariationSelectorOrJoiner }))
        }
        return String(base)
    }

    /// The columns of the drawn part: 2 for East Asian wide characters and emoji, 0 for combining characters (Unicode
    /// Standard Annex 11).
    package var columns: Int { utf8.count == 1 ? 1 : drawn.unicodeScalars.reduce(0) { $0 + $1.columns } }
}

extension Unicode.Scalar {
    fileprivate var isRegionalIndicator: Bool { 0x1F1E6...0x1F1FF ~= value }

    fileprivate var isVariationSelectorOrJoiner: Bool {
        properties.isVariationSelector || 0x200C...0x200D ~= value
    }

    fileprivate var columns: Int {
        guard value >= 0x300 else { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if 0x1160...0x11FF ~= value { return 0 }  // a vowel or an end, in the block of the consonant before it
        if isRegionalIndicator { return 1 }
        return properties.isEmojiPresentation || Self.wide.contains { $0 ~= value } ? 2 : 1
    }

    /// East Asian Width W and F, except emoji; unassigned code points between them are wide, too, by the annex.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF,
        0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]
}

extension StringProtocol {
    package var columns: Int { reduce(0) { $0 + $1.columns } }
}
