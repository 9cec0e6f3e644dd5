"""`Tools/matrix`: the page that compares real clients is up to date, and a fail on it can be repeated."""

import asyncio
import copy
import json
import pathlib
import sys
import tempfile

from harness import ROOT, Interoperability

sys.path.insert(0, str(ROOT / 'Tests/Clients'))
import pages
import playing


class PageTests(Interoperability):
    async def test_the_pages_are_up_to_date(self):
        with tempfile.TemporaryDirectory() as name:
            self.assertEqual(pages.write(pathlib.Path(name)), [])
            for page in 'clients.md', 'clients.html':
                written, stored = pathlib.Path(name, page).read_text(), (ROOT / 'Documentation' / page).read_text()
                self.assertEqual(written, stored, f'{page} is outdated: run Tools/matrix write')

    async def test_at_least_six_clients_have_a_version_and_a_verdict_for_each_case(self):
        self.assertGreaterEqual(len(playing.CLIENTS), 6)
        self.assertGreaterEqual(len(playing.cases()), 19)
        for name, client in playing.CLIENTS.items():
            stored = json.loads((playing.STORED / f'{name}.json').read_text())
            self.assertTrue(all(stored['versions'].values()) and stored['versions'], name)
            self.assertRegex(stored['date'], r'^\d{4}-\d\d-\d\d$')
            self.assertEqual({entry['verdict'] for entry in stored['report']['cases']} - {'pass', 'fail', 'skip'}, set(), name)

    async def test_texts_that_do_not_match_the_report_are_problems(self):
        name = 'bumble_profile'
        client, stored = playing.CLIENTS[name], json.loads((playing.STORED / f'{name}.json').read_text())
        self.assertEqual(list(pages.problems(client, stored)), [])
        first, *others = stored['report']['cases']

        def problems(report=None, **texts):
            changed = copy.deepcopy(stored)
            changed['report']['cases'] = report or changed['report']['cases']
            return '\n'.join(pages.problems(client | texts, changed))

        self.assertIn('add or remove its sentence', problems([first | {'verdict': 'fail'}, *others]))
        self.assertIn('add or remove its sentence', problems(fails=client['fails'] | {first['id']: 'text'}))
        self.assertIn('there is no such case', problems(fails=client['fails'] | {'clients/none': 'text'}))
        self.assertIn('its skips have changed', problems(skips={first['id']: 'reason'}))
        self.assertIn('its skips have changed', problems([first | {'verdict': 'skip'}, *others]))
        self.assertIn('has other cases', problems(others))


class PlayTests(Interoperability):
    async def play(self, *words):
        process = await asyncio.create_subprocess_exec(
            sys.executable, ROOT / 'Tools/matrix', *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        printed, _ = await process.communicate()
        return process.returncode, printed.decode()

    async def test_the_command_on_the_page_repeats_a_fail(self):
        command = 'Tools/matrix play bumble_profile --only clients/odd_tail'
        self.assertIn(f'repeat    {command}\n', (ROOT / 'Documentation/clients.md').read_text())
        status, printed = await self.play(*command.split()[1:])
        self.assertEqual(status, 1, printed)
        self.assertRegex(printed, r'(?m)^fail +clients/odd_tail .*\n +drops_it ')

    async def test_a_client_has_the_verdicts_of_the_page_in_virtual_time(self):
        name = 'bleak_played'
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, 'report.json')
            await self.play('play', name, '--quiet', '--report', report)
            played = json.loads(report.read_text())
        stored = json.loads((playing.STORED / f'{name}.json').read_text())
        self.assertEqual(played['time'], 'virtual')
        self.assertEqual({case['id']: case['verdict'] for case in played['cases']}, pages.found(stored))

    async def test_an_unknown_client_is_an_error_that_lists_the_known(self):
        status, printed = await self.play('play', 'nobody')
        self.assertEqual(status, 2)
        self.assertIn('bumble_profile', printed)
