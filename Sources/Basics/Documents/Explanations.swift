extension DiagnosticCode {
    /// One paragraph for people: what the problem is, and what to do about it.
    public var explanation: String {
        switch self {
        case .notText:
            "The file is not UTF-8 text. Save it as UTF-8; a byte order mark at its beginning does no harm."
        case .syntax:
            "The text stops being JSON (RFC 8259) here. Mostly a comma is missing just before, or there is one too many behind the last item; JSON has no comments (write a \"note\" instead) and no single quotation marks."
        case .tooDeep:
            "Arrays and objects are nested more than 64 levels deep. No scenario needs that; the file was probably made by a program that went wrong."
        case .loneSurrogate:
            "An escape such as \\ud83d is half of a surrogate pair and stands for no character by itself. Write both halves beside each other, or the character itself."
        case .duplicateKey:
            "An object has the same key twice, and it cannot be known which of the two was meant. Delete one, or put both values into one list if the key takes a list."
        case .missingKey:
            "An object lacks a key that it must have. The position is that of the object; the path ends with the key to add."
        case .unknownKey:
            "An object has a key that means nothing there, mostly because it is misspelt or belongs one level higher or lower. For remarks there is \"note\", which may stand in every object."
        case .wrongType:
            "The value is of another type than belongs there, such as a string where there must be a number. Numbers stand without quotation marks; values with a unit (\"10 s\", \"3 m\") stand in them. If a variable stands there, it is the variable's value that does not fit."
        case .outOfRange:
            "The value is of the right type, but too small, too large or not a whole number; or a list has too few or too many items. The message says what is allowed."
        case .unknownName:
            "The string is none of the names that can stand there. The message lists them or says which is nearest."
        case .wrongForm:
            "The string is not written in the way that such a thing is written: a duration as \"10 s\" (us, ms, s, min, h, day, days), a rate as \"500 Hz\", a distance as \"3 m\", an address as \"C0:FF:EE:00:00:01/random\", octets as pairs of hexadecimal digits, an id in lower case with digits and underscores."
        case .tooLarge:
            "The file has more than 16 MiB, or all the files that it includes have; or a report has more than 100,000 cases. Long recordings do not belong into a scenario: put them into a csv file and name it with {\"curve\": \"csv\", \"file\": …}."
        case .tooManyProblems:
            "Reading stopped at the 1000th problem. So many have one cause: perhaps this is no scenario, or a program wrote it that has a fault."
        case .unreadable:
            "A file that this one names cannot be read: it is not there, is no regular file, or may not be opened. The path is relative to the file that names it."
        case .absolutePath:
            "A file is named by an absolute path, which would work on one computer only. Name it relative to the file that names it."
        case .includeLoop:
            "A file includes itself, directly or through the files that it includes. Take one of the includes out."
        case .includesTooDeep:
            "Files include one another more than 8 deep. Include the inner files from the outer one."
        case .wrongTable:
            "A csv file must have one line of column names and then lines of numbers, with commas between; its times, in seconds, must rise from line to line, and the columns that the curve names must be there."
        case .unknownVariable:
            "\"${name}\" stands for the value of a variable, and there is none of that name. Add it to \"variables\" at the top of the file, or correct the spelling."
        case .unusedVariable:
            "A variable is given a value and never used, which mostly means that its name is misspelt where it should be used. Use it or delete it."
        case .noDevices:
            "A scenario without a device has nothing to play. Add one to \"devices\", or include a file that has one."
        case .duplicateID:
            "Two devices, two rules, two expectations, two cases of a report, or two services of one device have the same id, so that nobody could say which one is meant. Two services of one kind need an \"id\" each."
        case .duplicateAddress:
            "Two devices have the same address; on the air they would be one. Give each its own, or leave the addresses out: then each gets one by its place in the list."
        case .unknownEntity:
            "A path such as \"strap/heart_rate/contact\" names a device, service, part or rule that the scenario does not have. With one device its name may be left out; with several it may not. A part is there only if its service was given it: \"heart_rate/contact\" needs \"contact\" in the service."
        case .wrongEntity:
            "The thing is there, but it is not of the sort that this is for: a value is set on a part, a link is lost by a device, a rule begins and ends."
        case .missingProperty:
            "The part has not the property that this needs. A heart rate can be subscribed to but not read, a sensor's location can be read but not notified."
        case .cannotFire:
            "The moment of this rule never comes: it lies behind the limit at which the scenario ends, asks for something that the device does not do, or waits for a rule that cannot fire itself."
        case .cannotOpen:
            "The moment since which this is expected never comes, so that nothing would ever be judged; or the bounds are such that nothing could meet them."
        case .conflict:
            "Two things stand beside each other that exclude each other, such as \"nth\" and \"every\", or \"for\" and \"until\". Delete one."
        case .handleTaken:
            "Attributes stand in the order of the file, and their handles rise. Each service takes one handle, each characteristic one for its declaration, one for its value, one more if it can be notified or indicated, and one for each descriptor. The message says which handle is the lowest that the value can have: take that or a higher one, or leave \"handle\" out."
        case .noTime:
            "The expectation is over before it begins, so that nothing would ever be judged: its \"until\" lies before its \"since\", or it is to begin at the end of the scenario. Write an earlier \"since\" or a later \"until\"; both count from the start of the scenario, while \"within\" counts from \"since\"."
        case .cannotFail:
            "Whatever happens, this expectation passes, so that it proves nothing: a \"percentile\" of 0 is content with no case at all, and a \"min\" of 0 or less without \"max\" with any number. Write what must really be so, or delete the expectation."
        case .noNumber:
            "\"$truth\" can give the \"last\" value of any part, and \"count\" them; for \"mean\", \"mode\", \"sum\" and \"below\" the values must be numbers, and those of this part are lists, text, or true and false. Ask for \"last\", or for another part."
        case .duplicateDescriptor:
            "A characteristic can have only one Characteristic User Description (2901), and only one descriptor of the types 2900, 2903 and 2905 (Core 6.0, Vol 3, Part G, section 3.3.3). Put all that there is to say into one; Presentation Formats (2904) may be several."
        case .wrongLength:
            "A descriptor has a value of another length than its type has. A Characteristic Presentation Format (2904) has 7 octets: the format, the exponent, two of the unit, the name space, and two of the description (Core 6.0, Vol 3, Part G, section 3.3.3.5). \"06000027010000\" is an unsigned number of 16 bits without a unit."
        case .repeatedName:
            "A list that says which of some things there are has one of them twice. Delete it, or write the one that was meant."
        case .notYet:
            "This is part of the scenario language, and is checked, but this version of Lubdub does not play it yet. The scenario is right; a later version will play it."
        }
    }
}
