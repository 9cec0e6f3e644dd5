"""The three statistics of heart rates, recomputed simply from the octets in the event log."""

import collections
import json
import pathlib
import statistics
import tempfile
import unittest

from test_run import play

RATES = {'service': 'measurements', 'rate': '500 Hz'}
WALK = {'curve': 'walk', 'start': 62, 'by': 2, 'period': '2 ms', 'range': [45, 120]}


def values(record):
    """The heart rates of a frame: sequence (2 octets), index (4), count (1), then 2 octets each."""
    octets = bytes.fromhex(record['octets'])
    assert len(octets) == 7 + 2 * octets[6]
    return [int.from_bytes(octets[at:at + 2], 'little') for at in range(7, len(octets), 2)]


def mean(rates, last):
    return round(statistics.fmean(rates[-last:]), 3) if len(rates) >= last else None


def mode(rates):
    if len(rates) < 20_000:
        return None
    often = collections.Counter(rates[-20_000:])
    most = max(often.values())
    return min(rate for rate, times in often.items() if times == most)


TRUTHS = {
    'average_heart_rate': lambda rates: mean(rates, 50_000),
    'resting_heart_rate': lambda rates: mean([rate for rate in rates if rate < 65], 1000),
    'most_frequent_heart_rate': mode,
}


class StatisticsTests(unittest.TestCase):
    def records(self, value, limit):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, 'scenario.json')
            device = {'id': 'patch', 'services': [RATES | {'value': value}],
                      'advertise': {'services': ['6c750300-6264-4562-a000-4c7562647562']}}
            path.write_text(json.dumps({'lubdub': 1, 'name': 'rates', 'limit': limit, 'devices': [device]}))
            status, _, events, _ = play(path)
        self.assertEqual(status, 0)
        return [json.loads(line) for line in events.splitlines()]

    def test_each_statistic_matches_the_delivered_values(self):
        rates, seen, said = [], 0, collections.defaultdict(list)
        for record in self.records(WALK, '112 s'):
            if record['event'] == 'delivered':
                frame = values(record)
                self.assertEqual(frame, record['value'])
                seen, rates = len(rates), rates + frame
            elif record['event'] == 'said' and 'statistic' in record['line']:
                name, value = record['line']['statistic']['name'], record['line']['statistic']['value']
                said[name].append(record['t'])
                if len(said[name]) % 7 == 1:  # all of them would take too long
                    # It is due at one of the values of the latest frame.
                    true = [TRUTHS[name](rates[:count]) for count in range(seen + 1, len(rates) + 1)]
                    self.assertIn(value, true, f'{name} at {record["t"]} s')
        self.assertEqual(set(said), set(TRUTHS))
        between = [later - earlier for earlier, later in
                   zip(said['most_frequent_heart_rate'], said['most_frequent_heart_rate'][1:])]
        self.assertTrue(all(abs(seconds - 5) < 0.3 for seconds in between), between)

    def test_no_statistic_is_printed_too_early(self):
        records = self.records(70, '45 s')  # never below 65, and 21,000 of them
        names = [record['line']['statistic']['name'] for record in records
                 if record['event'] == 'said' and 'statistic' in record['line']]
        self.assertEqual(set(names), {'most_frequent_heart_rate'})
        count = 0
        for record in records:
            if record['event'] == 'delivered':
                count += len(record['value'])
            elif record['event'] == 'said' and 'statistic' in record['line']:
                self.assertGreaterEqual(count, 20_000)


if __name__ == '__main__':
    unittest.main()
