"""`--radio hci:N`: adapters of this machine without bluetoothd, and that bluetoothd has them afterwards as before."""

import asyncio
import contextlib
import json
import os
import signal
import struct

import btmon
from borrowing import AdapterTest
from harness import CONFIGURATION, LUBDUB, interfaces, until
from heart import BATTERY_LEVEL, LOCATION, MEASUREMENT, hear, logged
from serving import DBusFailure

# How often an adapter is taken and given back.
ROUNDS = int(os.environ.get('LUBDUB_ROUNDS', '5'))
# How long the ECG lasts.
ECG_SECONDS = int(os.environ.get('LUBDUB_ECG_SECONDS', '15'))
RFKILL_CHANGE_ALL, RFKILL_TYPE_BLUETOOTH = 3, 2


class UserChannelTests(AdapterTest):
    limit = 90 + ECG_SECONDS + 8 * ROUNDS

    async def test_bleak_subscribes_and_the_adapter_is_given_back(self):
        async with self.two_adapters() as (own, other):
            before = await self.state(own)
            for ending, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)):
                with self.subTest(ending):
                    async with self.played(own) as (process, events):
                        async with self.client(other) as client:
                            self.assertEqual(await client.read_gatt_char(LOCATION), b'\x01')
                            self.assertEqual(await client.read_gatt_char(BATTERY_LEVEL), b'\x57')
                            heard = await hear(client, 3)
                        await until(lambda: self.happened(events, 'disconnected'), 'the strap notes the end', process)
                        process.send_signal(ending)
                        self.assertEqual(await process.wait(), status)
                    notified = [record['value']['bpm'] for record in self.happened(events, 'notified')]
                    self.assertEqual(heard, notified[:len(heard)])
                    await self.given_back(own, before)
            # bluetoothd can use it at once.
            async with self.served(own), self.client(other) as client:
                self.assertGreaterEqual(len(await hear(client, 2)), 2)

    async def test_its_power_is_restored_after_a_kill(self):
        """bluetoothd does not switch adapters on here, so it is Lubdub's second process that does."""
        configuration = CONFIGURATION.replace('AutoEnable=true', 'AutoEnable=false')
        async with self.btvirt() as (own, other), self.message_bus(), self.daemon(configuration):
            for adapter in (own, other):
                await self.is_known(adapter)
            await self.set_power(other, True)
            for power in (False, True):
                with self.subTest(power):
                    await self.set_power(own, power)
                    before = await self.state(own)
                    self.assertEqual(before['Powered'], power)
                    async with self.played(own) as (process, _):
                        await self.find(other)
                        process.kill()
                        await process.wait()
                    await until(lambda: own in interfaces(), f'{own} is back')
                    await self.is_known(own)
                    await self.is_as_before(own, before)

    async def is_known(self, adapter):
        """Waits until bluetoothd has the adapter."""
        while True:
            with contextlib.suppress(DBusFailure):
                return await self.state(adapter)
            await asyncio.sleep(0.1)

    async def test_it_is_taken_and_given_back_many_times(self):
        async with self.two_adapters() as (own, _):
            before, complaints = await self.state(own), self.kernel_complaints()
            for _ in range(ROUNDS):
                await self.output(LUBDUB, 'scan', '--radio', 'hci:0', '--for', '100ms')
                await self.given_back(own, before)
            self.assertEqual(self.kernel_complaints(), complaints)

    async def test_lubdub_is_both_ends(self):
        async with self.btvirt() as (own, other):
            async with self.played(own) as (process, events):
                heard = await self.output(
                    LUBDUB, 'monitor', '--radio', f'hci:{other.removeprefix("hci")}', '--for', '8s', limit=40)
                self.assertRegex(heard, r'6\d bpm')
            self.assertIn(own, interfaces())

    async def test_a_silent_loss_another_address_and_a_malformed_value(self):
        """bluetoothd does not let a scenario do this. bleak, over another adapter, recovers."""
        def change(document):
            document['script'] = [
                {'id': 'away', 'when': {'event': 'subscribed', 'of': 'heart_rate', 'nth': 1, 'after': '3 s'},
                 'do': 'link_loss', 'for': '10 s'},
                {'when': {'event': 'began', 'of': 'away', 'after': '5 s'}, 'do': 'change_address', 'of': 'strap',
                 'to': 'C0:FF:EE:00:00:99/random'},
                {'when': {'event': 'subscribed', 'of': 'heart_rate', 'nth': 2, 'after': '1 s'}, 'do': 'raw',
                 'of': 'heart_rate', 'octets': '11 48'}]

        trace = self.folder / 'btmon.btsnoop'
        async with (
                self.own_adapters(2) as (own, other), self.running('btmon', 'btmon', '-w', trace),
                self.played(own, self.scenario(change)) as (process, events)):
            gone = asyncio.Event()
            async with self.client(other) as client:
                self.assertEqual(client.address, 'C0:FF:EE:00:00:01')
                client._backend._disconnected_callback = gone.set
                await hear(client, 1)
                await asyncio.wait_for(gone.wait(), 30)
            await until(lambda: self.happened(events, 'ended'), 'it is back', process)
            received = []
            async with self.client(other) as client:
                self.assertEqual(client.address, 'C0:FF:EE:00:00:99')
                await client.start_notify(MEASUREMENT, lambda _, value: received.append(bytes(value)))
                await until(lambda: b'\x11\x48' in received, 'the malformed value arrives', process)
            await until(lambda: b'\x11\x48' in trace.read_bytes(), 'btmon has written it')
        self.agree(trace, int(own.removeprefix('hci')), logged(events))

    @staticmethod
    def without_last(events, name):
        last = max(place for place, (_, event, _) in enumerate(events) if event == name)
        return events[:last] + events[last + 1:]

    def agree(self, trace, adapter, records):
        """The event log and btmon's record of the adapter have the same events in the same order, at the same times."""
        recorded, ours = btmon.Reading(trace, adapter).happened, btmon.logged(records)
        addresses = [detail for _, event, detail in recorded if event == 'advertising']
        self.assertEqual((addresses[0], addresses[-1]), ('C0:FF:EE:00:00:01', 'C0:FF:EE:00:00:99'))
        # A notification may be on its way when the client disconnects at the end.
        recorded, ours = (self.without_last(events, 'disconnected') for events in (recorded, ours))
        count = len(ours)  # Lubdub may have ended before it could log more
        self.assertGreater(count, 15)
        self.assertEqual(
            [(event, detail if event != 'advertising' else None) for _, event, detail in recorded[:count]],
            [(event, detail) for _, event, detail in ours])
        lags = [there - here for (there, *_), (here, *_) in zip(recorded, ours)]
        # The kernel stamps a packet when it passes, the log when Lubdub acts; the machine is emulated.
        self.assertLess(max(lags) - min(lags), 1, lags)

    async def test_an_ecg_at_500_hz_loses_no_frame(self):
        async with (
                self.two_adapters() as (own, other),
                self.played(own, 'scenarios/ecg_500hz.json') as (process, events),
                self.client(other, 'Lubdub Patch') as client):
            sent, heard = await self.hear_ecg(client, events, ECG_SECONDS)
        self.assertEqual(heard, sent)
        self.assertGreater(sum((len(frame) - 10) // 2 for frame in heard), 500 * (ECG_SECONDS - 2))

    async def test_check_loses_links_by_a_reset(self):
        async with self.own_adapters(2) as (own, other), self.played(own):
            said = await self.output(
                LUBDUB, 'check', '--radio', f'hci:{other.removeprefix("hci")}', '--peer', 'Lubdub HRM',
                '--only', 'reconnection/*', '--strict', limit=100)
            self.assertRegex(said, r'pass +reconnection/advertises_after_loss')
            self.assertIn(' 0 fail', said)

    async def test_a_device_of_bluetoothd_is_recorded(self):
        scenario = self.folder / 'recorded.json'
        async with self.own_adapters(2) as (own, other), self.served(own):
            before = await self.state(other)
            said = await self.output(
                LUBDUB, 'record', '--radio', f'hci:{other.removeprefix("hci")}', '--peer', 'Lubdub HRM', '--for', '5s',
                '-o', scenario, limit=60)
            self.assertIn(f'Wrote {scenario} with', said)
            await self.given_back(other, before)
        device, = json.loads(scenario.read_text())['devices']
        services = {service['uuid']: service for service in device['services']}
        self.assertLessEqual({'1800', '1801', '180D', '180F'}, services.keys())
        self.assertEqual([own['uuid'] for own in services['180D']['characteristics']], ['2A37', '2A38', '2A39'])
        values = scenario.with_suffix('.csv').read_text()
        self.assertGreaterEqual(values.count('heart_rate/heart_rate_measurement'), 4)

    async def test_the_adapter_is_unplugged(self):
        async with self.message_bus(), self.daemon():
            async with self.btvirt() as (own, other):
                await self.powered(own, other)
                serving = self.played(own)
                process, _ = await serving.__aenter__()
                self.addAsyncCleanup(serving.__aexit__, None, None, None)
            async with asyncio.timeout(20):
                self.assertEqual(await process.wait(), 3)
            self.assertIn(f'{own}: the adapter has gone (plug it in again; if USB has reset it, see lubdub doctor', self.said())

    async def test_messages(self):
        scan = ['scan', '--radio', 'hci:0', '--for', '1s']
        async with self.two_adapters() as (own, other):
            self.assertEqual(own, 'hci0')
            with self.subTest('no such adapter'):
                self.assertIn(
                    'cannot use hci7: there is no such adapter (see lubdub doctor',
                    await self.said_by('scan', '--radio', 'hci:7'))
            with self.subTest('no capability'):
                self.assertIn(
                    'cannot use hci0: the capability CAP_NET_ADMIN is missing (give it to the program: sudo setcap',
                    await self.said_by(*scan, before=lambda: os.setuid(65534)))
            with self.subTest('another lubdub has it'):
                async with self.played(own):
                    self.assertIn(
                        'cannot use hci0: another program has it to itself (end that program', await self.said_by(*scan))
                await self.powered(own)
            with self.subTest('connected through bluetoothd'):
                async with self.served(other), self.client(own):
                    self.assertIn(
                        'cannot use hci0: it has 1 connection through bluetoothd (disconnect', await self.said_by(*scan))
            with self.subTest('rfkill'):
                await self.output('modprobe', 'rfkill')
                self.rfkill(own, True)
                try:
                    self.assertIn('cannot use hci0: rfkill has switched it off', await self.said_by(*scan))
                finally:
                    self.rfkill(own, False)

    def rfkill(self, adapter, is_blocked):
        """Blocks all Bluetooth adapters, or none.  <linux/rfkill.h>: struct rfkill_event."""
        with open('/dev/rfkill', 'wb', buffering=0) as device:
            device.write(struct.pack('<IBBBB', 0, RFKILL_TYPE_BLUETOOTH, RFKILL_CHANGE_ALL, is_blocked, 0))
