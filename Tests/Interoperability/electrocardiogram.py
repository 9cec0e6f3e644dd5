"""Electrocardiograms as a client receives them: frames of Lubdub's ECG service, and the positions of R waves."""

import itertools
import struct
import sys

HERTZ = 500
GAP, LEAD_OFF, SYNTHETIC, SATURATED = 1, 2, 4, 8


class Frame:
    """A value of ECG Samples (0201): Documentation/vendor-services.md."""

    def __init__(self, octets):
        version, self.flags, self.sequence, self.index, count, self.lead = struct.unpack_from('<BBHIBB', octets)
        self.samples = struct.unpack_from(f'<{count}h', octets, 10)
        assert version == 1 and len(octets) == 10 + 2 * count, octets.hex()


def peaks(samples, threshold=700):
    """The middle of each R wave: the samples above a threshold in microvolts."""
    found, area, moment = [], 0, 0
    for place, sample in enumerate([*samples, 0]):
        if sample > threshold:
            area, moment = area + sample - threshold, moment + place * (sample - threshold)
        elif area:
            found.append(moment / area)
            area, moment = 0, 0
    return found


def deviation(places, intervals):
    """The largest difference, in ms, between the intervals of R waves and the RR-Intervals in 1/1024 s, and the number of
    compared intervals.  The two are aligned where they fit best."""
    distances = [(after - before) * 1000 / HERTZ for before, after in itertools.pairwise(places)]
    best = (float('inf'), 0)
    for shift in range(-5, 6):
        pairs = list(zip(distances[max(0, shift):], intervals[max(0, -shift):]))
        if len(pairs) >= 10:
            best = min(best, (max(abs(distance - interval * 1000 / 1024) for distance, interval in pairs), len(pairs)))
    return best


if __name__ == '__main__':  # runs in a Python with neurokit2: reads samples, prints positions
    import neurokit2

    samples = [int(word) for word in sys.stdin.read().split()]
    _, found = neurokit2.ecg_peaks(neurokit2.ecg_clean(samples, sampling_rate=HERTZ), sampling_rate=HERTZ)
    print(*found['ECG_R_Peaks'])
