// The opcodes that this module knows; sections are those of Core 6.0, Vol 4, Part E.
extension Opcode {
    /// HCI_Disconnect: section 7.1.6.
    public static let disconnect = Opcode(rawValue: 0x0406)
    /// HCI_Read_Remote_Version_Information: section 7.1.23.
    public static let readRemoteVersionInformation = Opcode(rawValue: 0x041D)
    /// HCI_Set_Event_Mask: section 7.3.1.
    public static let setEventMask = Opcode(rawValue: 0x0C01)
    /// HCI_Reset: section 7.3.2.
    public static let reset = Opcode(rawValue: 0x0C03)
    /// HCI_Set_Controller_To_Host_Flow_Control: section 7.3.38.
    public static let setControllerToHostFlowControl = Opcode(rawValue: 0x0C31)
    /// HCI_Host_Buffer_Size: section 7.3.39.
    public static let hostBufferSize = Opcode(rawValue: 0x0C33)
    /// HCI_Host_Number_Of_Completed_Packets: section 7.3.40.
    public static let hostNumberOfCompletedPackets = Opcode(rawValue: 0x0C35)
    /// HCI_Set_Event_Mask_Page_2: section 7.3.69.
    public static let setEventMaskPage2 = Opcode(rawValue: 0x0C63)
    /// HCI_Write_LE_Host_Support: section 7.3.79.
    public static let writeLEHostSupport = Opcode(rawValue: 0x0C6D)
    /// HCI_Read_Local_Version_Information: section 7.4.1.
    public static let readLocalVersionInformation = Opcode(rawValue: 0x1001)
    /// HCI_Read_Local_Supported_Commands: section 7.4.2.
    public static let readLocalSupportedCommands = Opcode(rawValue: 0x1002)
    /// HCI_Read_Local_Supported_Features: section 7.4.3.
    public static let readLocalSupportedFeatures = Opcode(rawValue: 0x1003)
    /// HCI_Read_Local_Extended_Features: section 7.4.4.
    public static let readLocalExtendedFeatures = Opcode(rawValue: 0x1004)
    /// HCI_Read_Buffer_Size: section 7.4.5.
    public static let readBufferSize = Opcode(rawValue: 0x1005)
    /// HCI_Read_BD_ADDR: section 7.4.6.
    public static let readBDADDR = Opcode(rawValue: 0x1009)
    /// HCI_Read_RSSI: section 7.5.4.
    public static let readRSSI = Opcode(rawValue: 0x1405)
    /// HCI_LE_Set_Event_Mask: section 7.8.1.
    public static let leSetEventMask = Opcode(rawValue: 0x2001)
    /// HCI_LE_Read_Buffer_Size: section 7.8.2.
    public static let leReadBufferSize = Opcode(rawValue: 0x2002)
    /// HCI_LE_Read_Local_Supported_Features: section 7.8.3.
    public static let leReadLocalSupportedFeatures = Opcode(rawValue: 0x2003)
    /// HCI_LE_Set_Random_Address: section 7.8.4.
    public static let leSetRandomAddress = Opcode(rawValue: 0x2005)
    /// HCI_LE_Set_Advertising_Parameters: section 7.8.5.
    public static let leSetAdvertisingParameters = Opcode(rawValue: 0x2006)
    /// HCI_LE_Read_Advertising_Physical_Channel_Tx_Power: section 7.8.6.
    public static let leReadAdvertisingPhysicalChannelTxPower = Opcode(rawValue: 0x2007)
    /// HCI_LE_Set_Advertising_Data: section 7.8.7.
    public static let leSetAdvertisingData = Opcode(rawValue: 0x2008)
    /// HCI_LE_Set_Scan_Response_Data: section 7.8.8.
    public static let leSetScanResponseData = Opcode(rawValue: 0x2009)
    /// HCI_LE_Set_Advertising_Enable: section 7.8.9.
    public static let leSetAdvertisingEnable = Opcode(rawValue: 0x200A)
    /// HCI_LE_Set_Scan_Parameters: section 7.8.10.
    public static let leSetScanParameters = Opcode(rawValue: 0x200B)
    /// HCI_LE_Set_Scan_Enable: section 7.8.11.
    public static let leSetScanEnable = Opcode(rawValue: 0x200C)
    /// HCI_LE_Create_Connection: section 7.8.12.
    public static let leCreateConnection = Opcode(rawValue: 0x200D)
    /// HCI_LE_Create_Connection_Cancel: section 7.8.13.
    public static let leCreateConnectionCancel = Opcode(rawValue: 0x200E)
    /// HCI_LE_Read_Filter_Accept_List_Size: section 7.8.14.
    public static let leReadFilterAcceptListSize = Opcode(rawValue: 0x200F)
    /// HCI_LE_Clear_Filter_Accept_List: section 7.8.15.
    public static let leClearFilterAcceptList = Opcode(rawValue: 0x2010)
    /// HCI_LE_Add_Device_To_Filter_Accept_List: section 7.8.16.
    public static let leAddDeviceToFilterAcceptList = Opcode(rawValue: 0x2011)
    /// HCI_LE_Remove_Device_From_Filter_Accept_List: section 7.8.17.
    public static let leRemoveDeviceFromFilterAcceptList = Opcode(rawValue: 0x2012)
    /// HCI_LE_Connection_Update: section 7.8.18.
    public static let leConnectionUpdate = Opcode(rawValue: 0x2013)
    /// HCI_LE_Set_Host_Channel_Classification: section 7.8.19.
    public static let leSetHostChannelClassification = Opcode(rawValue: 0x2014)
    /// HCI_LE_Read_Channel_Map: section 7.8.20.
    public static let leReadChannelMap = Opcode(rawValue: 0x2015)
    /// HCI_LE_Read_Remote_Features: section 7.8.21.
    public static let leReadRemoteFeatures = Opcode(rawValue: 0x2016)
    /// HCI_LE_Encrypt: section 7.8.22.
    public static let leEncrypt = Opcode(rawValue: 0x2017)
    /// HCI_LE_Rand: section 7.8.23.
    public static let leRand = Opcode(rawValue: 0x2018)
    /// HCI_LE_Enable_Encryption: section 7.8.24.
    public static let leEnableEncryption = Opcode(rawValue: 0x2019)
    /// HCI_LE_Long_Term_Key_Request_Reply: section 7.8.25.
    public static let leLongTermKeyRequestReply = Opcode(rawValue: 0x201A)
    /// HCI_LE_Long_Term_Key_Request_Negative_Reply: section 7.8.26.
    public static let leLongTermKeyRequestNegativeReply = Opcode(rawValue: 0x201B)
    /// HCI_LE_Read_Supported_States: section 7.8.27.
    public static let leReadSupportedStates = Opcode(rawValue: 0x201C)
    /// HCI_LE_Remote_Connection_Parameter_Request_Reply: section 7.8.31.
    public static let leRemoteConnectionParameterRequestReply = Opcode(rawValue: 0x2020)
    /// HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply: section 7.8.32.
    public static let leRemoteConnectionParameterRequestNegativeReply = Opcode(rawValue: 0x2021)
    /// HCI_LE_Set_Data_Length: section 7.8.33.
    public static let leSetDataLength = Opcode(rawValue: 0x2022)
    /// HCI_LE_Read_Suggested_Default_Data_Length: section 7.8.34.
    public static let leReadSuggestedDefaultDataLength = Opcode(rawValue: 0x2023)
    /// HCI_LE_Write_Suggested_Default_Data_Length: section 7.8.35.
    public static let leWriteSuggestedDefaultDataLength = Opcode(rawValue: 0x2024)
    /// HCI_LE_Clear_Resolving_List: section 7.8.40.
    public static let leClearResolvingList = Opcode(rawValue: 0x2029)
    /// HCI_LE_Read_Resolving_List_Size: section 7.8.41.
    public static let leReadResolvingListSize = Opcode(rawValue: 0x202A)
    /// HCI_LE_Set_Address_Resolution_Enable: section 7.8.44.
    public static let leSetAddressResolutionEnable = Opcode(rawValue: 0x202D)
    /// HCI_LE_Set_Resolvable_Private_Address_Timeout: section 7.8.45.
    public static let leSetResolvablePrivateAddressTimeout = Opcode(rawValue: 0x202E)
    /// HCI_LE_Read_Maximum_Data_Length: section 7.8.46.
    public static let leReadMaximumDataLength = Opcode(rawValue: 0x202F)
    /// HCI_LE_Read_PHY: section 7.8.47.
    public static let leReadPHY = Opcode(rawValue: 0x2030)
    /// HCI_LE_Set_Default_PHY: section 7.8.48.
    public static let leSetDefaultPHY = Opcode(rawValue: 0x2031)
    /// HCI_LE_Set_Advertising_Set_Random_Address: section 7.8.52.
    public static let leSetAdvertisingSetRandomAddress = Opcode(rawValue: 0x2035)
    /// HCI_LE_Set_Extended_Advertising_Parameters: section 7.8.53.
    public static let leSetExtendedAdvertisingParameters = Opcode(rawValue: 0x2036)
    /// HCI_LE_Set_Extended_Advertising_Data: section 7.8.54.
    public static let leSetExtendedAdvertisingData = Opcode(rawValue: 0x2037)
    /// HCI_LE_Set_Extended_Scan_Response_Data: section 7.8.55.
    public static let leSetExtendedScanResponseData = Opcode(rawValue: 0x2038)
    /// HCI_LE_Set_Extended_Advertising_Enable: section 7.8.56.
    public static let leSetExtendedAdvertisingEnable = Opcode(rawValue: 0x2039)
    /// HCI_LE_Remove_Advertising_Set: section 7.8.59.
    public static let leRemoveAdvertisingSet = Opcode(rawValue: 0x203C)
    /// HCI_LE_Set_Extended_Scan_Parameters: section 7.8.64.
    public static let leSetExtendedScanParameters = Opcode(rawValue: 0x2041)
    /// HCI_LE_Set_Extended_Scan_Enable: section 7.8.65.
    public static let leSetExtendedScanEnable = Opcode(rawValue: 0x2042)
    /// HCI_LE_Extended_Create_Connection: section 7.8.66.
    public static let leExtendedCreateConnection = Opcode(rawValue: 0x2043)
    /// HCI_LE_Read_Transmit_Power: section 7.8.74.
    public static let leReadTransmitPower = Opcode(rawValue: 0x204B)
    /// HCI_LE_Read_Buffer_Size_V2: section 7.8.2.
    public static let leReadBufferSizeV2 = Opcode(rawValue: 0x2060)
}
