// A Bluetooth LE host, HCI and streams to controllers, and the modules that their declarations use.
@_exported public import ATT
@_exported public import Basics
@_exported public import Bluetooth
@_exported public import Cryptography
@_exported public import GATT
@_exported public import HCI
@_exported public import L2CAP
@_exported public import LEHost
@_exported public import SecurityManager
@_exported public import Simulation
@_exported public import Sockets
