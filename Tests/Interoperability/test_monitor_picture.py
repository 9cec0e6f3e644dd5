"""The picture of `lubdub monitor` in the documentation: its screen, drawn by Chromium."""

import html
import json
import os
import pathlib
import tempfile
import unittest

import browser
from harness import ROOT, Interoperability
from test_screen import BRAILLE, monitoring

PICTURE = ROOT / 'Documentation' / 'monitor.png'
COLUMNS, ROWS = 100, 32
# xterm's colours on a dark ground, as far as the screen uses them.
COLOURS = {
    'default': '#d8dee4', 'black': '#484f58', 'red': '#ff7b72', 'green': '#7ee787', 'brown': '#e3b341', 'blue': '#79c0ff',
    'magenta': '#d2a8ff', 'cyan': '#76e3ea', 'white': '#f0f6fc'}
BAND = {
    'lubdub': 1, 'name': 'A band and a patch', 'devices': [{
        'id': 'patch', 'name': 'Lubdub HRM', 'services': [
            {'service': 'heart_rate', 'contact': True, 'rr_intervals': True,
             'value': {'curve': 'walk', 'start': 84, 'by': 3, 'period': '1 s', 'range': [60, 130]}},
            {'service': 'battery', 'value': 87},
            {'service': 'fitness', 'steps': {'curve': 'ramp', 'start': 0, 'end': 12000, 'over': '45 s'}, 'temperature': 36.55},
            {'service': 'ecg', 'rate': '500 Hz'}]}]}


def document(screen):
    """A page with the screen's characters and colours."""
    lines = []
    for row in range(screen.lines):
        cells = []
        for column in range(screen.columns):
            cell = screen.buffer[row][column]
            ground, ink = ('transparent', COLOURS.get(cell.fg, COLOURS['default']))
            if cell.reverse:
                ground, ink = ink, '#0d1117'
            weight = ';font-weight:bold' if cell.bold else ''
            # Another font has the Braille patterns, and they are wider there.
            shape = ' class="wide"' if BRAILLE.match(cell.data) else ''
            cells.append(
                f'<span style="color:{ink};background:{ground}{weight}"><i{shape}>{html.escape(cell.data)}</i></span>')
        lines.append(''.join(cells))
    return ('<!doctype html><meta charset="utf-8"><style>body { margin: 12px; background: #0d1117 }'
            'pre { margin: 0; font: 14px/17px "DejaVu Sans Mono", monospace }'
            'span { display: inline-block; width: 1ch; height: 17px; vertical-align: top }'
            'i { display: inline-block; font-style: normal; transform-origin: 0 0 } .wide { transform: scaleX(.82) }'
            '</style><pre>' + '\n'.join(lines) + '</pre>')


@unittest.skipUnless(browser.PROGRAM, browser.MISSING)
class PictureTests(Interoperability):
    async def test_the_picture_of_the_readme(self):
        is_written = bool(os.environ.get('LUBDUB_WRITE_PICTURE'))
        with tempfile.TemporaryDirectory() as folder:
            scenario = pathlib.Path(folder, 'band.json')
            scenario.write_text(json.dumps(BAND))
            async with monitoring('--every', '2s', columns=COLUMNS, rows=ROWS, scenario=scenario) as terminal:
                # For the documentation, the charts are full.
                rows = await terminal.sees(
                    lambda shown: ' subscribed ' in shown[0] and len(BRAILLE.findall(''.join(shown))) > 200
                    and any(row.startswith(' steps') for row in shown)
                    and (not is_written or shown[0].endswith(('0:42', '0:43'))), limit=60)
                page = pathlib.Path(folder, 'monitor.html')
                page.write_text(document(terminal.screen))
            with browser.page() as window:
                window.resize(COLUMNS * 9, ROWS * 17 + 24)
                window.open(page.as_uri())
                self.assertIn(rows[0].strip(), window.value('document.body.textContent'))
                self.assertEqual(window.complaints, [])
                picture = window.picture()
        self.assertEqual(picture[:8], b'\x89PNG\r\n\x1a\n')
        if is_written:
            PICTURE.write_bytes(picture)
        self.assertLess(PICTURE.stat().st_size, 150_000)
        self.assertIn('](monitor.png)', (ROOT / 'Documentation' / 'built-in-client.md').read_text())


if __name__ == '__main__':
    unittest.main()
