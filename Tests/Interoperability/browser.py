"""Headless Chromium over the Chrome DevTools Protocol: https://chromedevtools.github.io/devtools-protocol/

It uses two pipes and a temporary profile.  `Tools/setup browser` installs Debian's `chromium` package.
"""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

PROGRAM = shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')
MISSING = 'there is no Chromium here; Tools/setup browser installs it'

# A script: the texts with less contrast than WCAG 2.2 requires in success criterion 1.4.3, 4.5 to 1.
LOW_CONTRAST = '''(() => { const channels = text => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
    const ground = part => { for (; part; part = part.parentElement) {
        const color = channels(getComputedStyle(part).backgroundColor); if (color.length < 4 || color[3] > 0) return color; }
        return [255, 255, 255]; };
    return [...document.querySelectorAll("body *")]
        .filter(part => [...part.childNodes].some(node => node.nodeType == 3 && node.textContent.trim()))
        .filter(part => part.getClientRects().length && !part.closest(".away"))
        .map(part => { const [a, b] = [light(channels(getComputedStyle(part).color)), light(ground(part))];
            return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), part.className, part.tagName, part.textContent.slice(0, 20)]; })
        .filter(([contrast]) => contrast < 4.5) })()'''


class Page:
    """A page, with its requests and its error messages."""

    def __init__(self, commands, answers):
        self.commands, self.answers = commands, answers
        self.buffer, self.number, self.session = b'', 0, None
        self.requests, self.complaints = [], []
        target = self.ask('Target.createTarget', url='about:blank')['targetId']
        self.session = self.ask('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ['Page', 'Network', 'Runtime', 'Log']:
            self.ask(f'{domain}.enable')
        self.ask('Emulation.setScrollbarsHidden', hidden=True)

    def ask(self, method, **parameters):
        """Sends a command and returns its result."""
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.commands, json.dumps(message).encode() + b'\0')
        while (answer := self.next()).get('id') != self.number:
            pass
        if 'error' in answer:
            raise AssertionError(f'{method}: {answer["error"]}')
        return answer['result']

    def next(self, limit=60):
        """Returns the next message; records events."""
        end = time.monotonic() + limit
        while b'\0' not in self.buffer:
            if not select.select([self.answers], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError('Chromium says nothing')
            octets = os.read(self.answers, 1 << 16)
            if not octets:
                raise AssertionError('Chromium has gone')
            self.buffer += octets
        text, _, self.buffer = self.buffer.partition(b'\0')
        message = json.loads(text)
        self.note(message.get('method'), message.get('params'))
        return message

    def note(self, event, about):
        if event == 'Network.requestWillBeSent':
            self.requests.append(about['request']['url'])
        elif event in ('Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded'):
            self.complaints.append(about)

    def open(self, url):
        """Opens the address and waits until everything is loaded."""
        self.requests.clear()
        self.complaints.clear()
        self.ask('Page.navigate', url=url)
        while self.next().get('method') != 'Page.loadEventFired':
            pass
        self.value('new Promise(done => setTimeout(done, 100))')  # late requests

    def value(self, script):
        """Returns the value of a script."""
        result = self.ask('Runtime.evaluate', expression=script, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            raise AssertionError(result['exceptionDetails'])
        return result['result'].get('value')

    def resize(self, width, height, is_dark=False):
        self.ask(
            'Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.ask(
            'Emulation.setEmulatedMedia',
            features=[{'name': 'prefers-color-scheme', 'value': 'dark' if is_dark else 'light'}])

    def picture(self):
        """Returns a screenshot as PNG."""
        return base64.b64decode(self.ask('Page.captureScreenshot', format='png')['data'])


@contextlib.contextmanager
def page(*options):
    """A new page in a separate browser, which gets these options too."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, contextlib.ExitStack() as stack:
        pipes = []
        for _ in range(2):
            # Numbers above the two descriptors that Chromium uses.
            pair = os.pipe()
            pipes.append([fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in pair])
            for end in pair:
                os.close(end)
        (read, commands), (answers, write) = pipes
        words = [
            PROGRAM, '--headless=new', '--remote-debugging-pipe', '--disable-gpu', '--no-first-run',
            '--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage',
            '--font-render-hinting=none', '--disable-lcd-text', f'--user-data-dir={folder}',
            *options,
        ] + (['--no-sandbox'] if os.geteuid() == 0 else [])
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(3, 4),
            preexec_fn=lambda: (os.dup2(read, 3), os.dup2(write, 4)), start_new_session=True)
        for end in (read, write):
            os.close(end)
        stack.callback(lambda: [os.close(end) for end in (commands, answers)])
        try:
            yield Page(commands, answers)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
