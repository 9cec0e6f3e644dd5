"""The built-in client in virtual time: a month of steps, and a long ECG."""

import json
import math
import unittest

from harness import ROOT
from test_run import play

MONTH = 'scenarios/month_of_steps.json'
HOUR, DAY = 3600, 86400
MORNING, NIGHT = 7 * HOUR, 23 * HOUR  # the waking day of the scenario language


class MonthTests(unittest.TestCase):
    def test_each_day_has_its_steps(self):
        scenario = json.loads((ROOT / MONTH).read_text())
        service, = (service for service in scenario['devices'][0]['services'] if service['service'] == 'fitness')
        totals = service['steps']['totals']
        status, _, events, _ = play(MONTH)
        self.assertEqual(status, 0)
        records = [json.loads(line) for line in events.splitlines()]
        told = {part: [(record['t'], record['value']) for record in records
                       if record['event'] in ('read', 'notified') and record['of'] == f'band/fitness/{part}']
                for part in ('steps', 'steps_today')}
        for time, value in told['steps_today']:
            self.assertEqual(value, self.counted(totals, time)[1], time)
        for time, value in told['steps']:
            self.assertEqual(value, self.counted(totals, time)[0], time)
        evenings = [[value for time, value in told['steps_today'] if 10 * day + 10 <= time < 10 * day + 20][-1]
                    for day in range(31)]
        self.assertEqual(evenings, totals)
        self.assertEqual(told['steps'][-1][1], sum(totals))

    def counted(self, totals, time):
        """Steps and steps today at an instant; the scenario begins at 6:55 and skips to 23:45, then by days."""
        skipped = 0 if time < 10 else 1010 * 60 + min(math.floor((time - 10) / 10), 30) * DAY
        day, second = divmod(6 * HOUR + 55 * 60 + time + skipped, DAY)
        today = totals[int(day)] * min(max(second - MORNING, 0), NIGHT - MORNING) / (NIGHT - MORNING)
        return math.floor(sum(totals[:int(day)]) + today), math.floor(today)


if __name__ == '__main__':
    unittest.main()
