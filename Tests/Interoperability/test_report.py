"""HTML reports in a headless Chromium.

With LUBDUB_WRITE_PICTURE=1 the picture in the README is regenerated.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import browser
from harness import LUBDUB, ROOT

PICTURE = ROOT / 'Documentation' / 'report.png'
NASTY = '</style><img src=http://127.0.0.1:9/x onerror=alert(1)>'
# This rate ends before the strap notifies it, so no client shows it.
TOO_QUICK = '''{"id": "too_quick", "expect": "seen", "since": {"event": "began", "of": "sprint"}, "within": "1 s",
    "event": {"event": "said", "line": {"heart_rate": {"bpm": 300}}}, "requirement": "HRP/COL/HRF/BV-04-C"}'''


def scenario(expect, name='A sprint, shown at once'):
    return f'''{{"lubdub": 1, "name": {json.dumps(name)}, "limit": "30 s", "devices": [{{"id": "strap", "name": "Strap",
        "advertise": {{"services": ["180D"]}}, "services": [{{"service": "heart_rate", "contact": true, "value":
        {{"curve": "walk", "start": 68, "by": 2, "period": "1 s", "range": [60, 80]}}}}]}}],
        "script": [{{"id": "sprint", "when": "20.5 s", "do": "set", "of": "heart_rate", "to": 300, "for": "400 ms"}},
                   {{"id": "lost", "when": "9 s", "do": "link_loss", "of": "strap", "for": "3 s"}}],
        "expect": [{{"id": "shows", "expect": "seen", "event": {{"event": "said", "line": {{"heart_rate": {{}}}}}},
                     "within": "10 s"}}, {expect}]}}'''


@unittest.skipUnless(browser.PROGRAM, browser.MISSING)
class ReportTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.page = cls.enterClassContext(browser.page())
        suite = cls.folder / 'formats'
        suite.mkdir()
        for name in ['contact_lost', 'edges', 'nine_rr', 'two_byte']:
            (suite / f'{name}.json').write_text((ROOT / 'scenarios' / 'formats' / f'{name}.json').read_text())
        (suite / 'sprint.json').write_text(scenario(TOO_QUICK))
        cls.lubdub(
            'run', suite, '--report', cls.folder / 'plain.html', '--report', cls.folder / 'plain.json', status=1)
        (suite / 'nasty.json').write_text(scenario(TOO_QUICK.replace('HRP/', NASTY), NASTY))
        cls.lubdub('run', suite, '--report', cls.folder / 'nasty.html', '--report', cls.folder / 'nasty.json', status=1)
        cls.lubdub(
            'matrix', cls.folder / 'plain.json', cls.folder / 'nasty.json', '-o', cls.folder / 'matrix.html', status=0)

    @staticmethod
    def lubdub(*words, status):
        done = subprocess.run([LUBDUB, *map(str, words)], cwd=ROOT, capture_output=True, text=True, timeout=120)
        assert done.returncode == status, (done.stdout, done.stderr)

    def go(self, name, anchor=''):
        self.page.open(f'file://{self.folder}/{name}{anchor}')

    def test_a_page_loads_without_requests_and_errors(self):
        for name in ['plain.html', 'nasty.html', 'matrix.html']:
            with self.subTest(name):
                self.go(name)
                self.assertEqual(self.page.requests, [f'file://{self.folder}/{name}'])
                self.assertEqual(self.page.complaints, [])
                self.assertEqual(self.page.value('document.scripts.length + document.images.length'), 0)
                self.assertEqual(self.page.value('document.querySelectorAll("[onerror], link[rel=stylesheet]").length'), 0)

    def test_requests_and_errors_would_be_detected(self):
        text = (self.folder / 'plain.html').read_text()
        evil = text.replace('</main>', '<img src="http://127.0.0.1:9/x"><script>console.error(1)</script></main>')
        for name, content in [('evil.html', evil), ('open.html', evil.replace('Content-Security-Policy', 'x'))]:
            (self.folder / name).write_text(content)
            self.go(name)
            self.assertTrue(self.page.complaints, name)
        self.assertIn('http://127.0.0.1:9/x', self.page.requests)

    def test_the_matrix_has_heads_and_links(self):
        self.go('matrix.html')
        table = '''(() => { const table = document.querySelector(".matrix table"); return {
            heads: [...table.querySelectorAll("thead th[scope=col] .name")].map(head => head.textContent),
            ids: [...table.querySelectorAll("tbody th[scope=row] .id")].map(id => id.textContent),
            cells: [...table.querySelectorAll("tbody tr:not(.group)")].map(row => row.querySelectorAll("td").length),
            links: [...table.querySelectorAll("a")].map(link => link.getAttribute("href")) } })()'''
        table = self.page.value(table)
        self.assertEqual(table['heads'], ['plain', 'nasty'])
        self.assertEqual(sorted(table['ids']), sorted(
            ['contact_lost', 'edges', 'nine_rr', 'two_byte', 'sprint', 'nasty']))
        self.assertEqual(set(table['cells']), {2})
        self.assertEqual(len(table['links']), 3)
        for link in table['links']:
            self.assertTrue(self.page.value(f'document.querySelector("{link}").closest("details") != null'), link)

    def test_a_link_opens_its_case(self):
        self.go('plain.html')
        link = self.page.value('document.querySelector(".matrix tr.good a").getAttribute("href")')
        self.assertFalse(self.page.value(f'document.querySelector("{link}").closest("details").open'))
        self.page.value('document.querySelector(".matrix tr.good a").click()')
        self.assertTrue(self.page.value(f'document.querySelector("{link}").closest("details").open'))

    def test_a_filter_shows_only_failures(self):
        self.go('plain.html')
        shown = '''[...document.querySelectorAll(".matrix tbody tr:not(.group)")]
            .filter(row => row.getClientRects().length).map(row => row.querySelector(".id").textContent)'''
        self.assertEqual(len(self.page.value(shown)), 5)
        self.page.value('document.querySelector("#faults").click()')
        self.assertEqual(self.page.value(shown), ['sprint'])

    def test_a_phone_need_not_scroll_sideways(self):
        for name in ['plain.html', 'nasty.html', 'matrix.html']:
            self.go(name)
            self.page.value('document.querySelectorAll("details").forEach(part => part.open = true)')
            for width in [320, 390, 768, 1200]:
                with self.subTest(name, width=width):
                    self.page.resize(width, 800)
                    self.assertLessEqual(self.page.value('document.documentElement.scrollWidth'), width)

    def test_text_has_enough_contrast(self):
        for is_dark in [False, True]:
            for name in ['plain.html', 'matrix.html']:
                self.page.resize(1200, 800, is_dark)
                self.go(name)
                self.page.value('document.querySelectorAll("details").forEach(part => part.open = true)')
                self.assertEqual(self.page.value(browser.LOW_CONTRAST), [], (name, is_dark))

    def test_the_picture_of_the_readme_can_be_generated(self):
        self.page.resize(900, 1225)
        self.go('plain.html')
        picture = self.page.picture()
        self.assertEqual(picture[:8], b'\x89PNG\r\n\x1a\n')
        if os.environ.get('LUBDUB_WRITE_PICTURE'):
            PICTURE.write_bytes(picture)
        self.assertLess(PICTURE.stat().st_size, 150_000)
        self.assertIn('](Documentation/report.png)', (ROOT / 'README.md').read_text())


if __name__ == '__main__':
    unittest.main()
