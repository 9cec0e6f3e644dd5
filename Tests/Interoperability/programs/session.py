"""The lines of a program of BlueZ, and the parts of its session.

A program finds the strap by its service, connects, reads, and shows heart rates.  It stays in each link except the last one
until that is lost; there, it ends after three values, as a user would end it.
"""

import json
import sys

BASE = '0000{}-0000-1000-8000-00805f9b34fb'
HEART_RATE, MEASUREMENT, LOCATION, BATTERY = (BASE.format(number) for number in ('180d', '2a37', '2a38', '2a19'))
# How many links the program has, one after another.
LINKS = int(sys.argv[1])
ENOUGH = 3


def say(**line):
    print(json.dumps(line), flush=True)


def show(octets):
    """Shows a Heart Rate Measurement; returns its heart rate."""
    bpm = int.from_bytes(octets[1:3], 'little') if octets[0] & 1 else octets[1]
    say(heart_rate={'bpm': bpm})
    return bpm


def show_read(location, battery):
    """Shows what was read: two values of one octet."""
    say(location=['other', 'chest'][location[0]])
    say(battery=battery[0])
