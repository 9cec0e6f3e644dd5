// A client and server of message buses, and the modules that their declarations use.
@_exported public import DBus
@_exported public import Simulation
