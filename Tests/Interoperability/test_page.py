"""`serve --page`: who gets what over HTTP, and in a headless Chromium that buttons do what the control socket does.

With LUBDUB_WRITE_PICTURE=1 the picture of the documentation is regenerated.
"""

import asyncio
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import browser
from harness import LUBDUB, ROOT, Interoperability, lubdub, controller_port

SCENARIO = 'scenarios/ecg_500hz.json'
PICTURE = ROOT / 'Documentation' / 'page.png'
ANYWHERE = ['--controller', 'tcp:127.0.0.1:0']


class Served:
    """A running `serve --page`."""

    def __init__(self, process, port, token, events):
        self.process, self.port, self.token, self.events = process, port, token, events
        self.url = f'http://127.0.0.1:{port}/#{token}'

    def request(self, method, path, body=None, **fields):
        """Status, text and header fields of a response."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=10)
        with contextlib.closing(connection):
            connection.request(method, path, body, {name.replace('_', '-'): value for name, value in fields.items()})
            response = connection.getresponse()
            return response.status, response.read().decode(), response.headers

    def act(self, line, **fields):
        fields = {'Content_Type': 'application/json', 'X_Lubdub_Token': self.token} | fields
        return self.request('POST', '/act', line if isinstance(line, str) else json.dumps(line), **fields)

    def lines(self, event=None):
        """The lines of the event log that are there so far."""
        text = self.events.read_text()
        records = [json.loads(line) for line in text[:text.rfind('\n') + 1].splitlines()]
        return [record for record in records if event in (None, record['event'])]


@contextlib.asynccontextmanager
async def serving(*arguments, scenario=SCENARIO):
    with tempfile.TemporaryDirectory() as folder:
        events = pathlib.Path(folder, 'events.jsonl')
        async with lubdub(
                'serve', scenario, '--page', '127.0.0.1:0', '--events', events, *ANYWHERE, *arguments) as process:
            async with asyncio.timeout(10):
                line = (await process.stdout.readline()).decode()
            port, token = re.fullmatch(r'page http://127\.0\.0\.1:(\d+)/#([0-9a-f]{32})\n', line).groups()
            served = Served(process, int(port), token, events)
            served.controller = await controller_port(process)
            yield served


def open_stream(port, query=''):
    """A socket that reads the events of the page."""
    stream = socket.create_connection(('127.0.0.1', port), timeout=10)
    stream.sendall(f'GET /events{query} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n'.encode())
    return stream


def read_until(stream, octets, limit=10):
    text, end = b'', time.monotonic() + limit
    while octets not in text and time.monotonic() < end:
        portion = stream.recv(1 << 16)
        if not portion:
            break
        text += portion
    return text


class PageAccessTests(Interoperability):
    async def test_the_page_and_its_events_are_there_and_others_are_refused(self):
        async with serving() as page:
            status, text, fields = await asyncio.to_thread(page.request, 'GET', '/')
            self.assertEqual(status, 200)
            nonce, = set(re.findall(r'nonce="([0-9a-f]{32})"', text))
            self.assertIn(f"script-src 'nonce-{nonce}'", fields['Content-Security-Policy'])
            self.assertNotIn(page.token, text)
            for method, path, wanted, changed in [
                    ('GET', '/', 403, {'Host': f'evil.example:{page.port}'}), ('GET', '/', 403, {'Host': '127.0.0.1:1'}),
                    ('GET', '/events', 403, {'Origin': 'http://evil.example'}),
                    ('GET', '/events', 403, {'Sec_Fetch_Site': 'cross-site'}),
                    ('GET', '/favicon.ico', 404, {}), ('PUT', '/', 405, {})]:
                with self.subTest(path=path, changed=changed):
                    status, text, _ = await asyncio.to_thread(page.request, method, path, **changed)
                    self.assertEqual(status, wanted, text)
                    self.assertNotIn('Lubdub HRM', text)

    async def test_actions_need_the_token_and_are_those_of_the_control_socket(self):
        async with serving() as page:
            silence = {'do': 'silence', 'of': 'patch', 'for': '8 s'}
            for changed in [{'X_Lubdub_Token': '0' * 32}, {'Origin': 'http://evil.example'}, {'Content_Type': 'text/plain'}]:
                status, _, _ = await asyncio.to_thread(page.act, silence, **changed)
                self.assertIn(status, (403, 415), changed)
            self.assertEqual(page.lines('began'), [])
            for line, answer in [
                    (silence, {'ok': True}), ({'do': 'silence', 'chance': 0}, {'ok': True, 'done': False}),
                    ({'do': 'silence', 'of': 'patsh'}, {'error': 'unknown path "patsh"; did you mean "patch"?', 'at': 'of'}),
                    ('{', None)]:
                status, text, _ = await asyncio.to_thread(page.act, line)
                self.assertEqual(status, 200)
                self.assertEqual(json.loads(text) if answer else 'error' in text, answer or True)
            began, = page.lines('began')
            self.assertEqual((began['line'], began['rule']), (silence, 'page'))
            status, _, _ = await asyncio.to_thread(page.act, ' ' * (60 << 10))
            self.assertEqual(status, 200)

    async def test_a_target_can_be_a_uri_and_no_nul_gets_through(self):
        async with serving() as page:
            own = f'127.0.0.1:{page.port}'
            for target, host, wanted in [
                    (f'http://{own}/', own, 200), (f'http://{own}', 'elsewhere', 200), (f'http://evil.example:{page.port}/', own, 403),
                    ('/\0', own, 400), ('/%00', own, 400), ('/', f'{own}\0', 400), ('/', f'{own}\0.evil.example', 400)]:
                with self.subTest(target=target, host=host), socket.create_connection(('127.0.0.1', page.port), 10) as client:
                    client.sendall(f'GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n'.encode())
                    answer = await asyncio.to_thread(read_until, client, b'\r\n\r\n')
                    self.assertIn(f'HTTP/1.1 {wanted} '.encode(), answer)

    async def test_of_many_devices_a_page_shows_some(self):
        with tempfile.TemporaryDirectory() as folder:
            crowd = pathlib.Path(folder, 'crowd.json')
            crowd.write_text(json.dumps({'lubdub': 1, 'name': 'crowd', 'devices': [
                {'id': f'strap{number}', 'services': [{'service': 'heart_rate'}]} for number in range(300)]}))
            async with serving(scenario=crowd) as page:
                for query, first, count, matches in [
                        ('', 'strap0', 20, 300), ('?page=14', 'strap280', 20, 300), ('?find=strap29', 'strap29', 11, 11),
                        ('?find=nobody', None, 0, 0)]:
                    with self.subTest(query), open_stream(page.port, query) as stream:
                        text = await asyncio.to_thread(read_until, stream, b'data: {"status"')
                        outline, = re.findall(r'event: outline\ndata: (.*)\n', text.decode())
                        outline = json.loads(outline)['outline']
                        devices = [device['id'] for device in outline['devices']]
                        self.assertEqual((devices[0] if devices else None, len(devices), outline['matches']), (first, count, matches))

    async def test_a_browser_that_does_not_read_delays_nothing_and_signals_end_all(self):
        async with serving() as page:
            idle = [open_stream(page.port) for _ in range(8)]
            with contextlib.ExitStack() as stack:
                for stream in idle:
                    stack.enter_context(stream)
                    self.assertIn(b'event: outline', await asyncio.to_thread(read_until, stream, b'event: outline'))
                status, text, _ = await asyncio.to_thread(page.request, 'GET', '/events')
                self.assertEqual((status, text), (503, 'too many pages are open: the maximum is 8\n'))
                for _ in range(200):  # frames and their answers, which nobody reads
                    status, _, _ = await asyncio.to_thread(page.act, {'do': 'clear'})
                    self.assertEqual(status, 200)
                page.process.send_signal(signal.SIGINT)
                async with asyncio.timeout(20):
                    self.assertEqual(await page.process.wait(), 128 + signal.SIGINT)

    async def test_other_addresses_need_permission(self):
        for arguments, status, words in [
                (['--page', '0.0.0.0:0'], 2, '--page-for-network'), (['--page', '8080'], 2, 'HOST:PORT'),
                (['--page-for-network'], 2, 'needs --page'), (['--page', '127.0.0.1:0', '--speed', 'max'], 2, '--page')]:
            async with lubdub('serve', SCENARIO, *arguments, stderr=asyncio.subprocess.PIPE) as process:
                async with asyncio.timeout(10):
                    _, errors = await process.communicate()
                self.assertEqual(process.returncode, status)
                self.assertIn(words, errors.decode())
        async with serving() as page:
            async with lubdub(
                    'serve', SCENARIO, *ANYWHERE, '--page', f'127.0.0.1:{page.port}',
                    stderr=asyncio.subprocess.PIPE) as process:
                async with asyncio.timeout(10):
                    _, errors = await process.communicate()
                self.assertEqual(process.returncode, 3)
                self.assertIn('cannot listen', errors.decode())


    async def test_only_a_page_loads_libmicrohttpd_and_says_if_it_is_missing(self):
        def loaded(process):
            return set(re.findall(r'lib(microhttpd|gnutls)', pathlib.Path('/proc', str(process.pid), 'maps').read_text()))

        async with lubdub('serve', SCENARIO, *ANYWHERE) as process:
            await controller_port(process)
            self.assertEqual(loaded(process), set())
        async with serving() as page:
            self.assertIn('microhttpd', loaded(page.process))
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, 'libmicrohttpd.so.12').write_text('not a library')
            paths = ':'.join(filter(None, [folder, os.environ.get('LD_LIBRARY_PATH')]))
            done = await asyncio.to_thread(
                subprocess.run, [LUBDUB, 'serve', SCENARIO, '--page', '127.0.0.1:0', *ANYWHERE], cwd=ROOT, capture_output=True,
                text=True, timeout=30, env=os.environ | {'LD_LIBRARY_PATH': paths})
            self.assertEqual((done.returncode, done.stdout), (3, ''))
            self.assertRegex(done.stderr, r'^lubdub: .*libmicrohttpd.*apt-get install libmicrohttpd12')


@unittest.skipUnless(browser.PROGRAM, browser.MISSING)
class PageTests(Interoperability):
    limit = 120

    @contextlib.asynccontextmanager
    async def opened(self, scenario=SCENARIO):
        """A page in a browser, with a client that is subscribed to everything."""
        async with serving(scenario=scenario) as page:
            async with lubdub('monitor', '--radio', f'hci:tcp:127.0.0.1:{page.controller}', stderr=asyncio.subprocess.DEVNULL):
                with browser.page() as self.browser:
                    await asyncio.to_thread(self.browser.open, page.url)
                    await self.shows('document.querySelector(".links")?.textContent.startsWith("1 client")')
                    yield page

    async def value(self, script):
        return await asyncio.to_thread(self.browser.value, script)

    async def shows(self, script, limit=20):
        """The value of a script, when it is true."""
        end = time.monotonic() + limit
        while not (value := await self.value(script)):
            self.assertLess(time.monotonic(), end, script)
            await asyncio.sleep(0.05)
        return value

    async def press(self, label):
        await self.value(f'document.querySelector(`[aria-label="{label}"]`).click()')

    async def test_buttons_do_what_the_control_socket_does(self):
        async with self.opened() as page:
            await self.press('silence on patch')
            await self.shows('document.querySelector("#reply").textContent == "Done."')
            await self.shows('document.querySelector(`[aria-label="silence on patch"]`).ariaPressed == "true"')
            await self.shows('document.querySelector("#active").textContent.includes("silence on patch")')
            await self.value('document.querySelector("#clear").click()')
            await self.shows('document.querySelector("#active").textContent == "nothing"')
            await self.value('''(() => { const slider = document.querySelector("input[type=range]");
                slider.value = 40; slider.dispatchEvent(new Event("input")); slider.dispatchEvent(new Event("change")) })()''')
            await self.shows('document.querySelector("#active").textContent.includes("distance on patch")')
            await self.value('''(() => { const field = document.querySelector(`[aria-label="New value of patch/heart_rate"]`);
                field.value = 150; field.form.requestSubmit() })()''')
            await self.shows('document.querySelector(".rate .value").textContent == "150"')
            await self.value('document.querySelector("#line").value = `{"do": "patsh"}`')
            await self.value('document.querySelector("#act").requestSubmit()')
            await self.shows('document.querySelector("#reply.bad")?.textContent.startsWith("do: ")')
            self.assertEqual([(record['line'], record['rule']) for record in page.lines('began')], [
                ({'do': 'silence', 'of': 'patch', 'for': '8 s'}, 'page'), ({'do': 'clear'}, 'page'),
                ({'do': 'distance', 'of': 'patch', 'to': '40 m'}, 'page'),
                ({'do': 'set', 'of': 'patch/heart_rate', 'to': 150}, 'page')])
            self.assertEqual(self.browser.complaints, [])
            origins = {url.split('/')[2] for url in self.browser.requests if url.startswith('http')}
            self.assertEqual(origins, {f'127.0.0.1:{page.port}'})

    async def test_it_finds_one_of_many_devices(self):
        with tempfile.TemporaryDirectory() as folder:
            crowd = pathlib.Path(folder, 'crowd.json')
            crowd.write_text(json.dumps({'lubdub': 1, 'name': 'crowd', 'devices': [
                {'id': f'strap{number}', 'services': [{'service': 'heart_rate'}]} for number in range(50)]}))
            async with serving(scenario=crowd) as page:
                with browser.page() as self.browser:
                    await asyncio.to_thread(self.browser.open, page.url)
                    await self.shows('document.querySelector("#range").textContent == "1–20 of 50 devices"')
                    self.assertEqual(await self.value('document.querySelectorAll("#devices h2[id]").length'), 20)
                    await self.value('document.querySelector("#next").click()')
                    await self.shows('document.querySelector("#range").textContent == "21–40 of 50 devices"')
                    await self.value('document.querySelector("#next").click()')
                    await self.shows('document.querySelector("#next").disabled && document.querySelector("#device-9") != null')
                    await self.value('document.querySelector("#find-text").value = "STRAP49"')
                    await self.value('document.querySelector("#find").requestSubmit()')
                    await self.shows('document.querySelector("#range").textContent == "1–1 of 1 that match, of 50 devices"')
                    await self.press('silence on strap49')
                    await self.shows('document.querySelector("#active").textContent.includes("silence on strap49")')
                    self.assertEqual(self.browser.complaints, [])

    async def test_the_charts_show_what_the_log_says(self):
        async with self.opened() as page:
            await self.shows('[...series.values()].some(chart => chart.kind == "ecg" && chart.points.length > 1500)')
            drawn = await self.shows('''(() => { const rate = [...series.values()].find(chart => chart.kind == "rate");
                return rate && rate.points.length > 3 && rate.points.map(point => [point.t, point.y]) })()''')
            sent = [(record['t'], record['value']['bpm']) for record in page.lines('notified')
                    if record['of'] == 'patch/heart_rate']
            self.assertTrue(set(map(tuple, drawn)) <= set(sent), (drawn, sent))
            # 500 samples per second without gaps.
            span = await self.value('''(() => { const {points} = [...series.values()].find(chart => chart.kind == "ecg");
                const t = points.filter(point => point.y !== null).map(point => point.t);
                return {count: t.length, seconds: t.at(-1) - t[0], gaps: points.filter(point => point.y === null).length} })()''')
            self.assertAlmostEqual(span['count'] / span['seconds'], 500, delta=5)
            self.assertLessEqual(span['gaps'], 1)
            ink = await self.value('''(() => { const canvas = document.querySelector("canvas");
                const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
                return data.filter((value, index) => index % 4 == 3 && value > 0).length })()''')
            self.assertGreater(ink, 1000)

    async def test_without_the_token_the_page_only_looks(self):
        async with self.opened() as page:
            await asyncio.to_thread(self.browser.open, 'about:blank')
            await asyncio.to_thread(self.browser.open, f'http://127.0.0.1:{page.port}/')
            await self.shows('document.querySelectorAll("button").length > 5')
            self.assertEqual(await self.value(
                '[...document.querySelectorAll("button, input")].filter(control => !control.disabled).length'), 0)
            self.assertTrue(await self.value('document.querySelector("#notice").getClientRects().length == 1'))

    async def test_it_says_when_serve_has_ended(self):
        async with self.opened() as page:
            page.process.send_signal(signal.SIGINT)
            async with asyncio.timeout(10):
                await page.process.wait()
            await self.shows('document.querySelector("#state.lost") != null')

    async def test_every_control_has_a_name_and_can_be_focused(self):
        async with self.opened():
            await self.shows('document.querySelectorAll("button").length > 5')
            nodes = (await asyncio.to_thread(self.browser.ask, 'Accessibility.getFullAXTree'))['nodes']
            roles = {'button', 'slider', 'spinbutton', 'textbox', 'combobox', 'image', 'log'}
            named = [(node['role']['value'], node.get('name', {}).get('value')) for node in nodes
                     if not node.get('ignored') and node.get('role', {}).get('value') in roles]
            self.assertGreater(len(named), 20)
            self.assertEqual([role for role, name in named if not name], [])
            self.assertEqual(await self.value('document.querySelectorAll("[tabindex]:not([tabindex=\\"0\\"])").length'), 0)

    async def test_it_fits_a_phone_and_has_contrast(self):
        async with self.opened():
            await self.shows('document.querySelectorAll("canvas").length == 2')
            for width in [320, 390, 768, 1200]:
                await asyncio.to_thread(self.browser.resize, width, 800)
                self.assertLessEqual(await self.value('document.documentElement.scrollWidth'), width)
            for is_dark in [False, True]:
                await asyncio.to_thread(self.browser.resize, 1200, 800, is_dark)
                self.assertEqual(await self.value(browser.LOW_CONTRAST), [], is_dark)

    async def test_the_picture_of_the_documentation_can_be_generated(self):
        async with self.opened() as page:
            await asyncio.to_thread(self.browser.resize, 1200, 900)
            await asyncio.to_thread(page.act, {'do': 'set', 'of': 'patch/heart_rate', 'to': 75})
            await self.shows('[...series.values()].some(chart => chart.points.length > 3300)', limit=30)
            picture = await asyncio.to_thread(self.browser.picture)
            self.assertGreater(len(picture), 10_000)
            self.assertIn('](page.png)', (ROOT / 'Documentation' / 'control.md').read_text())
            if os.environ.get('LUBDUB_WRITE_PICTURE'):
                PICTURE.write_bytes(picture)


if __name__ == '__main__':
    unittest.main()
