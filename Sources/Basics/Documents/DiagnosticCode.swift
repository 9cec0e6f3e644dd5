/// The codes of all problems. Users look codes up and scripts compare them, so the meaning of a code never changes, and
/// codes that are no longer used are not reassigned.
package enum DiagnosticCode: String, CaseIterable, Sendable {
    /// The file is not UTF-8.
    case notText = "LD0101"
    /// The text is not JSON (RFC 8259) at this position.
    case syntax = "LD0102"
    /// Arrays and objects are nested more than 64 levels deep.
    case tooDeep = "LD0103"
    /// A `\u` escape is half of a surrogate pair without its other half.
    case loneSurrogate = "LD0104"
    /// An object has a key twice.
    case duplicateKey = "LD0105"
    /// An object lacks a required key.
    case missingKey = "LD0106"
    /// An object has a key that is not allowed there.
    case unknownKey = "LD0107"
    /// The value has the wrong type: a string instead of a number.
    case wrongType = "LD0108"
    /// The value has the right type but is too small, too large or not a whole number; a list is too short or too long.
    case outOfRange = "LD0109"
    /// The string is not one of the allowed names.
    case unknownName = "LD0110"
    /// The string has the wrong format: a duration without a unit.
    case wrongForm = "LD0111"
    /// The file, or all files with the included ones, are larger than 16 MiB; or a folder is too large.
    case tooLarge = "LD0112"
    /// A file that this one names cannot be read.
    case unreadable = "LD0113"
    /// A file is named by an absolute path.
    case absolutePath = "LD0114"
    /// A file includes itself, directly or through other files.
    case includeLoop = "LD0115"
    /// Files are included more than 8 levels deep.
    case includesTooDeep = "LD0116"
    /// A CSV file lacks a column of the curve, or has a value that is not a number or times that do not rise.
    case wrongTable = "LD0117"
    /// There are more problems than are listed.
    case tooManyProblems = "LD0118"
    /// `${name}` refers to an undefined variable.
    case unknownVariable = "LD0120"
    /// A variable is never used.
    case unusedVariable = "LD0121"
    case noDevices = "LD0130"
    /// Two objects have the same id.
    case duplicateID = "LD0131"
    /// Two devices have the same address.
    case duplicateAddress = "LD0132"
    /// A path refers to something that the scenario does not define.
    case unknownEntity = "LD0133"
    /// A path refers to something that this action or event does not support.
    case wrongEntity = "LD0134"
    /// The value lacks the property that this needs: notify, for a value that can only be read.
    case missingProperty = "LD0135"
    /// A rule can never fire.
    case cannotFire = "LD0136"
    /// An expectation never starts, or can neither pass nor fail.
    case cannotOpen = "LD0137"
    /// Two keys exclude each other.
    case conflict = "LD0138"
    /// The handle of a value is lower than the lowest that is free, or no handles are left.
    case handleTaken = "LD0139"
    /// An expectation ends before it starts.
    case noTime = "LD0140"
    /// An expectation can never fail.
    case cannotFail = "LD0141"
    /// `$truth` calculates with a value that is not a number.
    case noNumber = "LD0142"
    /// A characteristic has two descriptors of a type that is allowed once.
    case duplicateDescriptor = "LD0143"
    /// A descriptor's value has the wrong length for its type.
    case wrongLength = "LD0144"
    /// A list contains a name twice.
    case repeatedName = "LD0145"
    /// Valid, but contrary to a specification.
    case deviation = "LD0191"
    /// A pattern is for a line that no client prints.
    case unprintedLine = "LD0192"
    /// The scenario can end before an expectation is decided.
    case endsBefore = "LD0193"
    /// An event or a value that never comes.
    case neverComes = "LD0194"
    /// All expectations are decided, so that the scenario has ended, before a rule acts.
    case endsBeforeRule = "LD0195"

    /// Whether a document with this is played all the same.
    package var isWarning: Bool { self == .deviation || isLikelyMistake }

    /// Whether this is a warning of what hardly anybody intends.
    package var isLikelyMistake: Bool {
        switch self {
        case .unprintedLine, .endsBefore, .neverComes, .endsBeforeRule: true
        default: false
        }
    }
}
