/// The codes of all problems, in one table: people look them up and scripts match them, so that a
/// code keeps its meaning for ever, and one that is no longer used is not given away again.
public enum DiagnosticCode: String, CaseIterable, Sendable {
    /// The file is not UTF-8.
    case notText = "LD0101"
    /// The text is not JSON (RFC 8259) from here on.
    case syntax = "LD0102"
    /// Arrays and objects are nested more than 64 levels deep.
    case tooDeep = "LD0103"
    /// A `\u` escape is half of a surrogate pair whose other half is not beside it.
    case loneSurrogate = "LD0104"
    /// An object has this key a second time.
    case duplicateKey = "LD0105"
    /// An object lacks a key that it must have.
    case missingKey = "LD0106"
    /// An object has a key that means nothing there.
    case unknownKey = "LD0107"
    /// The value is of another type: a string where a number belongs.
    case wrongType = "LD0108"
    /// The value is of the right type, and too small, too large or not whole; a list, too short or too long.
    case outOfRange = "LD0109"
    /// The string is none of those that can stand there.
    case unknownName = "LD0110"
    /// The string is not written as such a thing must be: a duration without a unit.
    case wrongForm = "LD0111"
    /// The file has more than 16 MiB, or all included ones together.
    case tooLarge = "LD0112"
    /// A file that is named cannot be read.
    case unreadable = "LD0113"
    /// A file is named by an absolute path.
    case absolutePath = "LD0114"
    /// A file includes itself, directly or through others.
    case includeLoop = "LD0115"
    /// Files include one another more than 8 deep.
    case includesTooDeep = "LD0116"
    /// A file of values is not a table with that column, numbers and rising times.
    case wrongTable = "LD0117"
    /// There are more problems than are told.
    case tooManyProblems = "LD0118"
    /// `${name}` names no variable.
    case unknownVariable = "LD0120"
    /// A variable is never used.
    case unusedVariable = "LD0121"
    /// A scenario has no device.
    case noDevices = "LD0130"
    /// Two things have one id.
    case duplicateID = "LD0131"
    /// Two devices have one address.
    case duplicateAddress = "LD0132"
    /// A path names a thing that the scenario does not have.
    case unknownEntity = "LD0133"
    /// A thing is there, but is not of the sort that this action or event is for.
    case wrongEntity = "LD0134"
    /// A part has not the property that this needs: notify, for a value that can only be read.
    case missingProperty = "LD0135"
    /// A rule's moment can never come.
    case cannotFire = "LD0136"
    /// An expectation can never be opened, or never be met or failed.
    case cannotOpen = "LD0137"
    /// Two things that stand beside each other exclude each other.
    case conflict = "LD0138"
    /// The handle that a value is to have is lower than the next that is free, or there are no handles left.
    case handleTaken = "LD0139"
    /// An expectation is over before it begins.
    case noTime = "LD0140"
    /// An expectation can never fail.
    case cannotFail = "LD0141"
    /// `$truth` calculates with a part that is no number.
    case noNumber = "LD0142"
    /// A characteristic has a descriptor twice that it can have once.
    case duplicateDescriptor = "LD0143"
    /// A descriptor's value has not so many octets as its type must have.
    case wrongLength = "LD0144"
    /// A list has a name twice.
    case repeatedName = "LD0145"
    /// Part of the language, but this version does not play it yet.
    case notYet = "LD0190"
}
