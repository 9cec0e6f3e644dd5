import Spelling

/// Which command: a group of 6 bits (OGF) and a number in it of 10 (OCF).  Core 6.0, Vol 4, Part E, section 5.4.1.
public struct Opcode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// As it is sent.
    public let rawValue: UInt16

    /// Any 16 bits are one.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// No command: how many are taken is all that an event with it says.  Core 6.0, Vol 4, Part E, section 7.7.14.
    public static let none = Opcode(rawValue: 0)

    /// The first two octets of a command packet, whatever follows them; nil when there are fewer.
    public init?(ofCommand octets: [UInt8]) {
        guard octets.count >= 2 else { return nil }
        rawValue = UInt16(octets[0]) | UInt16(octets[1]) << 8
    }

    /// The specification's name without `HCI_`; for one that is not in the table its number: `0xFC01`.
    public var name: String {
        if let name = entry?.name { return name }
        return "0x" + rawValue.zeroPadded(to: 4, radix: 16)
    }

    /// Where Supported Commands says that a controller has it (section 6.27); nil for one that has no bit.
    public var supportedBit: (octet: Int, bit: Int)? {
        guard let octet = entry?.octet, let bit = entry?.bit else { return nil }
        return (octet, bit)
    }

    /// Its name.
    public var description: String { name }

    /// All opcodes that have a name here, in the order of their groups.
    public static var named: [Opcode] { table.map { Opcode(rawValue: $0.number) } }

    private var entry: Entry? { Self.table.first { $0.number == rawValue } }

    private struct Entry {
        let number: UInt16
        let name: String
        let octet: Int?
        let bit: Int?

        init(_ number: UInt16, _ name: String, _ octet: Int? = nil, _ bit: Int? = nil) {
            (self.number, self.name, self.octet, self.bit) = (number, name, octet, bit)
        }
    }

    private static let table: [Entry] = [
        Entry(0x0406, "Disconnect", 0, 5),
        Entry(0x041D, "Read_Remote_Version_Information", 2, 7),
        Entry(0x0C01, "Set_Event_Mask", 5, 6),
        Entry(0x0C03, "Reset", 5, 7),
        Entry(0x0C31, "Set_Controller_To_Host_Flow_Control", 10, 5),
        Entry(0x0C33, "Host_Buffer_Size", 10, 6),
        Entry(0x0C35, "Host_Number_Of_Completed_Packets", 10, 7),
        Entry(0x0C63, "Set_Event_Mask_Page_2", 22, 2),
        Entry(0x0C6D, "Write_LE_Host_Support", 24, 6),
        Entry(0x1001, "Read_Local_Version_Information", 14, 3),
        Entry(0x1002, "Read_Local_Supported_Commands"),
        Entry(0x1003, "Read_Local_Supported_Features", 14, 5),
        Entry(0x1004, "Read_Local_Extended_Features", 14, 6),
        Entry(0x1005, "Read_Buffer_Size", 14, 7),
        Entry(0x1009, "Read_BD_ADDR", 15, 1),
        Entry(0x1405, "Read_RSSI", 15, 5),
        Entry(0x2001, "LE_Set_Event_Mask", 25, 0),
        Entry(0x2002, "LE_Read_Buffer_Size", 25, 1),
        Entry(0x2003, "LE_Read_Local_Supported_Features", 25, 2),
        Entry(0x2005, "LE_Set_Random_Address", 25, 4),
        Entry(0x2006, "LE_Set_Advertising_Parameters", 25, 5),
        Entry(0x2007, "LE_Read_Advertising_Physical_Channel_Tx_Power", 25, 6),
        Entry(0x2008, "LE_Set_Advertising_Data", 25, 7),
        Entry(0x2009, "LE_Set_Scan_Response_Data", 26, 0),
        Entry(0x200A, "LE_Set_Advertising_Enable", 26, 1),
        Entry(0x200B, "LE_Set_Scan_Parameters", 26, 2),
        Entry(0x200C, "LE_Set_Scan_Enable", 26, 3),
        Entry(0x200D, "LE_Create_Connection", 26, 4),
        Entry(0x200E, "LE_Create_Connection_Cancel", 26, 5),
        Entry(0x200F, "LE_Read_Filter_Accept_List_Size", 26, 6),
        Entry(0x2010, "LE_Clear_Filter_Accept_List", 26, 7),
        Entry(0x2011, "LE_Add_Device_To_Filter_Accept_List", 27, 0),
        Entry(0x2012, "LE_Remove_Device_From_Filter_Accept_List", 27, 1),
        Entry(0x2013, "LE_Connection_Update", 27, 2),
        Entry(0x2014, "LE_Set_Host_Channel_Classification", 27, 3),
        Entry(0x2015, "LE_Read_Channel_Map", 27, 4),
        Entry(0x2016, "LE_Read_Remote_Features", 27, 5),
        Entry(0x2017, "LE_Encrypt", 27, 6),
        Entry(0x2018, "LE_Rand", 27, 7),
        Entry(0x2019, "LE_Enable_Encryption", 28, 0),
        Entry(0x201A, "LE_Long_Term_Key_Request_Reply", 28, 1),
        Entry(0x201B, "LE_Long_Term_Key_Request_Negative_Reply", 28, 2),
        Entry(0x201C, "LE_Read_Supported_States", 28, 3),
        Entry(0x2020, "LE_Remote_Connection_Parameter_Request_Reply", 33, 4),
        Entry(0x2021, "LE_Remote_Connection_Parameter_Request_Negative_Reply", 33, 5),
        Entry(0x2022, "LE_Set_Data_Length", 33, 6),
        Entry(0x2023, "LE_Read_Suggested_Default_Data_Length", 33, 7),
        Entry(0x2024, "LE_Write_Suggested_Default_Data_Length", 34, 0),
        Entry(0x2029, "LE_Clear_Resolving_List", 34, 5),
        Entry(0x202A, "LE_Read_Resolving_List_Size", 34, 6),
        Entry(0x202D, "LE_Set_Address_Resolution_Enable", 35, 1),
        Entry(0x202E, "LE_Set_Resolvable_Private_Address_Timeout", 35, 2),
        Entry(0x202F, "LE_Read_Maximum_Data_Length", 35, 3),
        Entry(0x2030, "LE_Read_PHY", 35, 4),
        Entry(0x2031, "LE_Set_Default_PHY", 35, 5),
        Entry(0x2035, "LE_Set_Advertising_Set_Random_Address", 36, 1),
        Entry(0x2036, "LE_Set_Extended_Advertising_Parameters", 36, 2),
        Entry(0x2037, "LE_Set_Extended_Advertising_Data", 36, 3),
        Entry(0x2038, "LE_Set_Extended_Scan_Response_Data", 36, 4),
        Entry(0x2039, "LE_Set_Extended_Advertising_Enable", 36, 5),
        Entry(0x203C, "LE_Remove_Advertising_Set", 37, 0),
        Entry(0x2041, "LE_Set_Extended_Scan_Parameters", 37, 5),
        Entry(0x2042, "LE_Set_Extended_Scan_Enable", 37, 6),
        Entry(0x2043, "LE_Extended_Create_Connection", 37, 7),
        Entry(0x204B, "LE_Read_Transmit_Power", 38, 7),
        Entry(0x2060, "LE_Read_Buffer_Size_V2", 41, 5),
    ]
}
