"""A record of btmon, read as Lubdub's event log words it.

BlueZ, `doc/btsnoop.txt`: a file header of 16 octets, then records with a header of 24 octets: original and included length,
flags (the adapter's index and the kind of packet), drops, and the time in microseconds.
"""

import struct

COMMAND, EVENT, ACL_SENT, ACL_RECEIVED = 2, 3, 4, 5
RESET, SET_RANDOM_ADDRESS, DISCONNECT = 0x0C03, 0x2005, 0x0406
ENABLES = (0x200A, 0x2039)
SET_ADDRESSES = {SET_RANDOM_ADDRESS: 3, 0x2035: 4}  # the offset of the address


def packets(path, adapter):
    """The packets of an adapter: time in seconds, kind and octets."""
    octets = path.read_bytes()
    assert octets.startswith(b'btsnoop\0'), octets[:8]
    place = 16
    while place + 24 <= len(octets):
        _, count, flags, _, moment = struct.unpack_from('>IIIIq', octets, place)
        packet = octets[place + 24:place + 24 + count]
        place += 24 + count
        if flags >> 16 == adapter and flags & 0xFFFF in (COMMAND, EVENT, ACL_SENT, ACL_RECEIVED):
            yield moment / 1e6, flags & 0xFFFF, packet


def notified(path, adapter, kind):
    """The values of the notifications that an adapter has sent or received, with their handles."""
    frame = b''
    for _, own, octets in packets(path, adapter):
        if own != kind:
            continue
        begins = octets[1] & 0x30 != 0x10
        frame = octets[4:] if begins else frame + octets[4:]
        if len(frame) == 4 + struct.unpack_from('<H', frame)[0] and frame[2:5] == b'\4\0\x1B':
            yield struct.unpack_from('<H', frame, 5)[0], frame[7:]


def text(address):
    return ':'.join(f'{octet:02X}' for octet in reversed(address))


class Reading:
    """What happened to a peripheral: (time, event, detail), as its packets show it."""

    def __init__(self, path, adapter):
        self.happened = []
        self.address = None  # with which it advertises
        self.pending = {}  # commands without an answer
        self.connected = False
        self.subscribing = None
        self.mtu = None
        for self.moment, kind, octets in packets(path, adapter):
            if kind == COMMAND:
                self.pending[struct.unpack_from('<H', octets)[0]] = octets
            elif kind == EVENT:
                self.event(octets)
            elif octets[6:8] == b'\4\0':
                self.attribute(octets[8:], kind == ACL_SENT)

    def note(self, event, detail=None):
        self.happened.append((self.moment, event, detail))

    def event(self, octets):
        if octets[0] == 0x0E and octets[5:6] == b'\0':
            self.completed(struct.unpack_from('<H', octets, 3)[0])
        elif octets[0] == 0x05 and octets[2] == 0 and self.connected:
            self.disconnected(octets[5])
        elif octets[0] == 0x3E and octets[2] in (0x01, 0x0A) and octets[3] == 0:
            self.connected, self.mtu = True, None
            self.note('connected')

    def completed(self, opcode):
        command = self.pending.pop(opcode, b'')
        if opcode in SET_ADDRESSES:
            self.address = text(command[SET_ADDRESSES[opcode]:][:6])
        elif opcode in ENABLES and command[3] == 1:
            self.note('advertising', self.address)
        elif opcode == RESET and self.connected:
            self.disconnected(0x08)

    def disconnected(self, reason):
        self.connected = False
        self.note('disconnected', reason)

    def attribute(self, pdu, is_sent):
        """Core 6.0, Vol 3, Part F, section 3.4."""
        match is_sent, pdu[0]:
            case False, 0x02:
                self.mtu = struct.unpack_from('<H', pdu, 1)[0]
            case True, 0x03 if self.mtu:
                self.note('mtu', min(self.mtu, struct.unpack_from('<H', pdu, 1)[0]))
            case False, 0x12:
                self.subscribing = struct.unpack_from('<H', pdu, 1)[0] if pdu[3:] in (b'\1\0', b'\2\0') else None
            case True, 0x13 if self.subscribing:
                self.note('subscribed')
                self.subscribing = None
            case True, 0x1B:
                self.note('notified', (struct.unpack_from('<H', pdu, 1)[0], pdu[3:].hex(' ').upper()))


REASONS = {'connection_timeout': 0x08, 'remote_user_terminated_connection': 0x13}


def logged(records):
    """The same of Lubdub's event log."""
    details = {
        'disconnected': lambda record: REASONS[record['reason']],
        'mtu': lambda record: record['value'],
        'notified': lambda record: (record['handle'], record['octets']),
    }
    kinds = ('advertising', 'connected', 'disconnected', 'mtu', 'subscribed', 'notified')
    return [(record['t'], record['event'], details.get(record['event'], lambda _: None)(record))
            for record in records if record['event'] in kinds]
