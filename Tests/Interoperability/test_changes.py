"""A Bumble central whose strap changes its attributes, with and without Service Changed."""

import contextlib
import json
import pathlib
import tempfile

from bumble import gatt

from harness import Interoperability
from sensing import characteristic, listen, meeting, refusal, sig, take, vendor

STRAP = 'C0:FF:EE:00:00:01'
CHANGED, HEART, LEVEL = sig(0x2A05), sig(0x2A37), sig(0x2A19)
INVALID_HANDLE = 0x01


class ChangeTests(Interoperability):
    @contextlib.asynccontextmanager
    async def strap(self, **rule):
        """The attributes change when a client subscribes to the battery."""
        scenario = {
            'lubdub': 1, 'name': 'Changes', 'devices': [{'id': 'strap', 'services': [
                {'service': 'heart_rate', 'value': 62}, {'service': 'battery', 'value': 50}]}],
            'script': [{'when': {'event': 'subscribed', 'of': 'battery'}, 'id': 'changes', **rule}]}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, 'changes.json')
            path.write_text(json.dumps(scenario))
            async with meeting(str(path), STRAP) as (self.peer, self.log):
                yield

    async def change(self):
        await listen(self.peer, LEVEL)
        await self.log.until('began', 'changes')

    async def hash(self):
        told, = await self.peer.gatt_client.read_characteristics_by_uuid(
            gatt.GATT_DATABASE_HASH_CHARACTERISTIC, None)
        return bytes(told)

    async def test_after_service_changed_everything_is_found_again(self):
        async with self.strap(do='move_handles', by=16):
            changed, before = await listen(self.peer, CHANGED), characteristic(self.peer, HEART)
            first, last = self.peer.services[-2].handle, self.peer.services[-1].end_group_handle
            hash = await self.hash()
            await self.change()
            told, = await take(changed, 1)
            self.assertEqual((told[:2], told[2:]), (first.to_bytes(2, 'little'), (last + 16).to_bytes(2, 'little')))
            self.assertNotEqual(await self.hash(), hash)
            descriptor = before.get_descriptor(gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR)
            await self.peer.discover_all()
            self.assertEqual(characteristic(self.peer, HEART).handle, before.handle + 16)
            self.assertEqual(await refusal(self.peer.read_value(descriptor)), INVALID_HANDLE)
            heart, = await take(await listen(self.peer, HEART), 1)
            self.assertEqual(heart[1], 62)

    async def test_a_silent_move_is_found_by_the_hash_only(self):
        async with self.strap(do='move_handles', by=16, announce=False):
            changed, level = await listen(self.peer, CHANGED), characteristic(self.peer, LEVEL)
            hash = await self.hash()
            await self.change()
            self.assertEqual(await refusal(self.peer.read_value(level)), INVALID_HANDLE)
            self.assertNotEqual(await self.hash(), hash)
            self.assertTrue(changed.empty())

    async def test_the_heart_rate_continues_when_a_service_disappears(self):
        async with self.strap(do='change_services', remove=['battery'], add=[{'service': 'feed', 'value': 7}]):
            changed, heart = await listen(self.peer, CHANGED), await listen(self.peer, HEART)
            battery = self.peer.services[-1]
            await self.change()
            told, = await take(changed, 1)
            self.assertEqual(told[:2], battery.handle.to_bytes(2, 'little'))
            while not heart.empty():
                heart.get_nowait()
            await take(heart, 2)
            level = characteristic(self.peer, LEVEL)
            await self.peer.discover_all()
            feed = characteristic(self.peer, vendor(0x0401))
            self.assertGreater(feed.handle, battery.end_group_handle)
            self.assertEqual(await self.peer.read_value(feed), bytes([7, 0, 0, 0]))
            self.assertEqual(await refusal(self.peer.read_value(level)), INVALID_HANDLE)
