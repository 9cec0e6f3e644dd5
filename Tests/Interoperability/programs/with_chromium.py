"""A page with Web Bluetooth, in headless Chromium; this program clicks its button, and chooses the strap."""

import collections
import functools
import http.server
import json
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import browser
from session import ENOUGH, LINKS, say


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serving():
    """The address of a server for the page: Chromium has Bluetooth for https and for this machine."""
    folder = pathlib.Path(__file__).parent
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f'http://127.0.0.1:{server.server_port}/heart_rate.html'


def click(page, id):
    """Clicks as a person does, since a page may ask for devices only then."""
    place = page.value(f'(({{x, y}}) => ({{x: x + 1, y: y + 1}}))(document.getElementById("{id}").getBoundingClientRect())')
    for kind in 'mousePressed', 'mouseReleased':
        page.ask('Input.dispatchMouseEvent', type=kind, button='left', clickCount=1, **place)


def keep_using(page, events):
    """Chooses the strap, and passes on what the page says, until its last link has shown enough."""
    links, values, answered = 1, 0, set()
    while links < LINKS or values < ENOUGH:
        while not events:
            page.next()
        event, about = events.popleft()
        if event == 'DeviceAccess.deviceRequestPrompted' and about['devices'] and about['id'] not in answered:
            answered.add(about['id'])
            page.ask('DeviceAccess.selectPrompt', id=about['id'], deviceId=about['devices'][0]['id'])
        elif event == 'Runtime.consoleAPICalled':
            line = json.loads(about['args'][0]['value'])
            say(**line)
            values += 'heart_rate' in line
            if line.get('state') == 'disconnected':
                links, values = links + 1, 0
            elif 'chooser' in line.get('error', ''):  # a busy Chromium now and then closes it at once
                click(page, 'connect')


with browser.page('--enable-features=WebBluetooth') as page:
    events = collections.deque()
    page.note = lambda *event: events.append(event)
    page.ask('DeviceAccess.enable')
    page.open(serving())
    while not page.value('navigator.bluetooth.getAvailability()'):
        time.sleep(0.05)
    click(page, 'connect')
    keep_using(page, events)
    shown = page.value('document.getElementById("rate").value')
    page.value('leave()')
    time.sleep(1)  # since Chromium asks bluetoothd later
    say(shown=shown)
