"""A simulated device that runs until the test ends it."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from .failure import Failure, Refused
from .patterns import Patterns, matches


def program(path=None):
    """The program: `path`, the environment variable LUBDUB, or `lubdub` in PATH."""
    name = os.fspath(path or os.environ.get('LUBDUB') or 'lubdub')
    found = shutil.which(name)
    if found is None:
        raise Failure(f'{name} is not installed: install it, or name it with the environment variable LUBDUB')
    return found


# The exit status of `lubdub serve` after SIGTERM.
ENDED = 128 + signal.SIGTERM


class Strap:
    """A running `lubdub serve`: a context manager, which ends it.

    `controller` is the address at which it offers a virtual controller, such as `tcp:127.0.0.1:40123`, to a Bluetooth host
    in radio range of the scenario's devices.  Pass `controller='vhci'` for a virtual adapter of this machine's kernel, such
    as `hci1`, for programs that use the machine's bluetoothd; this needs root.

    Pass `system='bluez'` for programs that use bluetoothd, which Lubdub then plays: until the end, `DBUS_SYSTEM_BUS_ADDRESS`
    of this process, and so of its children, is the bus of that.  `controller` is then the name of the adapter.
    """

    def __init__(self, scenario, *options, controller=None, system=None, seed=None, variables=None, folder=None,
                 lubdub=None, limit=10.0):
        """Starts the scenario, and waits up to `limit` seconds for its controller, or for the bus of its system.

        `variables` are those of the scenario that get other values.  `folder` receives the event log and the trace
        instead of a temporary folder, and stays.  `options` are passed to `lubdub serve`.
        """
        # The path of a socket has at most 107 octets, and a folder of pytest may be longer.
        self._temporary = tempfile.TemporaryDirectory(prefix='lubdub')
        self.folder = pathlib.Path(folder or self._temporary.name)
        self._socket = os.path.join(self._temporary.name, 'control')
        self._log = self.folder / 'events.jsonl'
        self.trace = self.folder / 'trace.btsnoop'
        self._errors = self.folder / 'errors.txt'
        self._connection = None
        self._replaced = {}  # variables of this process: their values, and the earlier ones
        self._is_closing = False
        self._patience = 10.0  # seconds for an answer
        self._turn = threading.Lock()  # a coroutine waits for events in another thread
        self._scenario, self._program = os.fspath(scenario), program(lubdub)
        self._patterns = Patterns(self._ask)
        words = [self._program, 'serve', self._scenario, '--control', f'unix:{self._socket}', '--events',
                 str(self._log), '--trace', str(self.trace)]
        if system is not None:
            words += ['--system', f'{system}:unix:{os.path.join(self._temporary.name, "bus")}']
        if controller is not None or system is None:
            words += ['--controller', controller or 'tcp:127.0.0.1:0']
        if seed is not None:
            words += ['--seed', str(seed)]
        for name, value in (variables or {}).items():
            words += ['--set', f'{name}={json.dumps(value)}']
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self._errors, 'wb') as errors:
            self._process = subprocess.Popen(
                [*words, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        try:
            offers = self._offered(['system'] * (system is not None) + ['controller'] * ('--controller' in words),
                                   time.monotonic() + limit)
            # The only adapter of a system that is played.
            self.controller = offers['controller'][0] if 'controller' in offers else 'hci0'
            self._export(offers.get('system', [])[1:])
        except BaseException:
            self._end()
            raise

    def _offered(self, kinds, until):
        """What follows these words, in the lines `controller ADDRESS` and `system export NAME=VALUE ...`."""
        read = b''
        os.set_blocking(self._process.stdout.fileno(), False)
        while time.monotonic() < until:
            read += self._process.stdout.read() or b''
            lines = [line for line in read.decode(errors='replace').splitlines(keepends=True) if line.endswith('\n')]
            offers = {kind: shlex.split(line)[1:] for kind in kinds for line in lines if line.startswith(f'{kind} ')}
            if len(offers) == len(kinds):
                return offers
            if self._process.poll() is not None:
                break
            time.sleep(0.005)
        raise Failure(f'lubdub serve offered no {kinds[0]} (status {self._process.poll()}): {self.errors}')

    def _export(self, assignments):
        """Sets variables of this process until the end."""
        for assignment in assignments:
            name, value = assignment.split('=', 1)
            self._replaced[name] = value, os.environ.get(name)
            os.environ[name] = value

    def _restore(self):
        """Undoes `_export`, other than for a variable that has been set again since."""
        for name, (value, earlier) in self._replaced.items():
            if os.environ.get(name) == value:
                os.environ.pop(name)
                if earlier is not None:
                    os.environ[name] = earlier
        self._replaced = {}

    @property
    def port(self):
        """The TCP port of the controller."""
        return int(self.controller.rsplit(':', 1)[1])

    @property
    def errors(self):
        """The standard error of `lubdub serve`: connections, disconnections and problems."""
        return self._errors.read_text(errors='replace').strip()

    def request(self, line):
        """The reply to a request, an object as in Documentation/control.md; raises Refused with its error."""
        try:
            with self._turn:
                answer = self._exchange(json.dumps(line) + '\n')
        except TimeoutError:
            raise Failure(
                f'lubdub serve did not answer within {self._patience} s; it may still do as asked, and the next request '
                f'opens another connection; {self.errors}') from None
        except OSError as error:
            raise Failure(f'lubdub serve does not answer: {error}; {self.errors}') from None
        if not answer:
            raise Failure(f'lubdub serve has ended: {self.errors}')
        reply = json.loads(answer)
        if 'error' in reply:
            raise Refused(reply['error'])
        return reply

    def _exchange(self, text):
        """The line that answers a line; empty if the connection has ended."""
        answer = ''
        try:
            if self._connection is None:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.settimeout(self._patience)
                    connection.connect(self._socket)
                    self._connection = connection.makefile('rw', encoding='utf-8', newline='\n')  # keeps the socket open
            self._connection.write(text)
            self._connection.flush()
            answer = self._connection.readline()
        finally:
            # Answers have the order of requests, so one that is late would answer the next request.
            if not answer.endswith('\n'):
                self._disconnect()
        return answer

    def _disconnect(self):
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(OSError):  # what was not sent
                connection.close()

    def _ask(self, question):
        """The reply to a question about the scenario: after the end, from another `lubdub serve`."""
        self._check_alive()
        if not self._has_ended:
            try:
                return self.request(question)
            except Refused:
                raise
            except Failure:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(10)
                if not self._has_ended:
                    raise
                self._check_alive()
        with Strap(self._scenario, lubdub=self._program) as other:
            return other.request(question)

    @property
    def _has_ended(self):
        return self._process.poll() is not None

    def _check_alive(self):
        """Fails if it has ended in another way than by `close`, or as `--for` asks: then its log is not complete."""
        __tracebackhide__ = True
        status = self._process.poll()
        expected = (0, ENDED) if self._is_closing else (None, 0)
        if status not in expected:
            fate = f'was killed by signal {-status}' if status < 0 else f'has ended with status {status}'
            raise Failure(f'lubdub serve {fate}, so its event log is not complete: {self.errors}')

    def act(self, action, of=None, **arguments):
        """Starts an action that a script can contain: `act('silence', 'strap', lasting='8 s')`.

        Since `for` is a word of Python, its name here is `lasting`.
        """
        line = {'do': action}
        if of is not None:
            line['of'] = of
        line.update({'for' if name == 'lasting' else name: value for name, value in arguments.items()})
        return self.request(line)

    def clear(self, of=None):
        """Ends all active actions, or those on one target."""
        return self.act('clear', of)

    @property
    def status(self):
        """Devices, clients and active actions."""
        return self.request({'ask': 'status'})

    def events(self, name=None, **members):
        """The events so far, or those with this name and these members.

        `of` is a path as in a scenario: `heart_rate` is `strap/heart_rate`, and `strap` includes it.  Of other members
        that are objects, a part is enough.  Fails if no event can have this name and these members, or if `lubdub serve`
        has crashed.
        """
        __tracebackhide__ = True
        self._patterns.check(name, members)
        found = self._found(name, **members)
        self._check_alive()
        return found

    def _found(self, name=None, **members):
        lines = self._log.read_text(encoding='utf-8').splitlines(keepends=True) if self._log.exists() else []
        found = [json.loads(line) for line in lines if line.endswith('\n')]
        return [event for event in found if name in (None, event.get('event')) and matches(event, **members)]

    def wait_for(self, name, limit=10.0, after=0.0, **members):
        """The first event with this name and these members later than `after`; fails after `limit` seconds."""
        __tracebackhide__ = True
        self._patterns.check(name, members, options=('limit', 'after'))
        until = time.monotonic() + limit
        while True:
            is_over = time.monotonic() >= until or self._has_ended
            found = self._found(name, **members)
            self._check_alive()
            for event in found:
                if event.get('t', 0.0) > after or after == 0.0:
                    return event
            if is_over:
                later = f' after {after} s' if after else ''
                raise Failure(
                    f'no event {name} {members or ""} within {limit} s{later}{self._patterns.hint(name, members)}; '
                    f'the last events: {self._found()[-5:]}')
            time.sleep(0.01)

    def close(self):
        """Ends it, so that its files are complete; returns its exit status.

        Fails if it has ended by itself before, other than as `--for` asks, or does not end: then its files are not complete.
        """
        __tracebackhide__ = True
        self._end()
        self._check_alive()
        return self._process.returncode

    def _end(self):
        self._disconnect()
        self._restore()
        if not self._has_ended:
            self._is_closing = True
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process.stdout.close()
        if self.folder != pathlib.Path(self._temporary.name):
            self._temporary.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.close()
        else:  # the error of the test says more
            self._end()
