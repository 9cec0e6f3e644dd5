"""Bridges /dev/vhci and a lubdub controller: the Linux kernel is the host, with H4 in both directions.

    python vhci.py PATH    the Unix socket of the controller

Prints JSON: the number of the interface (`{"index": 0}`), then a line for each answered command of the kernel with
its status, the milliseconds from the start to the command, and those from the command to the
answer.  On a signal it prints unanswered commands with the status null, and ends.
"""

import json
import os
import select
import signal
import socket
import struct
import sys
import time

COMMAND, ACL, EVENT, VENDOR = 1, 2, 4, 0xFF
COMMAND_COMPLETE, COMMAND_STATUS = 0x0E, 0x0F
# For each packet to the host: the header, indicator included, and the format of the length at its end.
HEADERS = {ACL: (5, '<3xH'), EVENT: (3, '<2xB')}


class Bridge:
    def __init__(self, path):
        self.controller = socket.socket(socket.AF_UNIX)
        self.controller.connect(path)
        self.device = os.open('/dev/vhci', os.O_RDWR)
        self.waiting, self.received = [], b''
        self.began = time.monotonic()
        # Requests a primary controller.  The kernel answers with the index, sometimes after its first command.
        os.write(self.device, bytes([VENDOR, 0]))

    def carry(self):
        """Forwards packets until the controller closes the stream."""
        poll = select.poll()
        poll.register(self.device, select.POLLIN)
        poll.register(self.controller, select.POLLIN)
        while True:
            for descriptor, _ in poll.poll():
                if descriptor == self.device:
                    self.from_kernel(os.read(self.device, 4096))
                elif octets := self.controller.recv(65536):
                    self.received += octets
                    self.to_kernel()
                else:
                    return

    def from_kernel(self, packet):
        if packet[0] == VENDOR:
            tell(index=struct.unpack('<H', packet[2:4])[0])
            return
        if packet[0] == COMMAND:
            self.waiting.append((struct.unpack('<H', packet[1:3])[0], time.monotonic()))
        self.controller.sendall(packet)

    def to_kernel(self):
        """The kernel accepts one packet per write."""
        while self.received:
            size, length = HEADERS[self.received[0]]
            if len(self.received) < size:
                return
            size += struct.unpack(length, self.received[:size])[0]
            if len(self.received) < size:
                return
            packet, self.received = self.received[:size], self.received[size:]
            os.write(self.device, packet)
            self.note(packet)

    def note(self, packet):
        """Prints the command that an event answers, if any."""
        if packet[:2] == bytes([EVENT, COMMAND_COMPLETE]) and len(packet) > 6:
            opcode, status = struct.unpack('<HB', packet[4:7])
        elif packet[:2] == bytes([EVENT, COMMAND_STATUS]):
            status, opcode = struct.unpack('<BxH', packet[3:7])
        else:
            return
        for command in self.waiting:
            if command[0] == opcode:
                self.waiting.remove(command)
                return self.tell(command, status)

    def tell(self, command, status):
        opcode, came = command
        tell(opcode=f'{opcode:04X}', status=status, came=milliseconds(self.began, came),
             took=milliseconds(came, time.monotonic()))


def milliseconds(start, end):
    return round((end - start) * 1000)


def tell(**facts):
    print(json.dumps(facts), flush=True)


if __name__ == '__main__':
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    bridge = Bridge(sys.argv[1])
    try:
        bridge.carry()
    finally:
        for command in bridge.waiting:
            bridge.tell(command, None)
