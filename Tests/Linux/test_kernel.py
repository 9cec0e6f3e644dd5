"""The Linux kernel as the host over lubdub's virtual controller, without bluetoothd."""

import asyncio
import re

from harness import LinuxTest

# The commands that Linux sends to every LE controller during setup, in order; further ones depend on the
# controller's features.
SETTING_UP = ['0C03', '1003', '1001', '1009', '1002', '2003', '2002', '201C', '0C01', '2001']
STRAP = 'C0:FF:EE:00:00:01'


class KernelTests(LinuxTest):
    async def test_the_kernel_sets_up_a_lubdub_controller(self):
        async with self.lubdub('controller') as path, self.bridge(path) as interface:
            self.assertEqual(await self.output('hciconfig', interface.name, 'up'), '')
            self.assertIn('UP RUNNING', await self.output('hciconfig', interface.name))
            asked = [command['opcode'] for command in interface.commands]
            self.assertEqual([opcode for opcode in asked if opcode in SETTING_UP], SETTING_UP)
            self.assertLess(interface.commands[-1]['came'], 2000)
            self.assertEqual(interface.troubles, [])
        self.assertEqual(self.kernel_complaints(), [])

    async def test_two_kernel_interfaces_meet_in_the_air(self):
        async with (
                self.lubdub('controller') as path, self.bridge(path) as peripheral, self.bridge(path) as central):
            for interface in (peripheral, central):
                await self.output('hciconfig', interface.name, 'up')
            address, = re.findall(r'BD Address: (\S+)', await self.output('hciconfig', peripheral.name))
            await self.output('hciconfig', peripheral.name, 'leadv', '0')
            # hcitool waits for a Connection Complete event, but the kernel chooses the Enhanced one.
            async with self.running('lecc', 'hcitool', '-i', central.name, 'lecc', address):
                handle = await self.handle(central)
            for interface, role in ((peripheral, 'PERIPHERAL'), (central, 'CENTRAL')):
                links = await self.output('hcitool', '-i', interface.name, 'con')
                self.assertRegex(links, f' LE .* handle {handle} state 1 lm .*{role}')
            self.assertEqual(await self.output('hcitool', '-i', central.name, 'ledc', handle), '')
            while 'LE' in await self.output('hcitool', '-i', peripheral.name, 'con'):
                await asyncio.sleep(0.05)
            self.assertEqual(peripheral.troubles + central.troubles, [])
        self.assertEqual(self.kernel_complaints(), [])

    async def handle(self, interface):
        """The handle of the only link of an interface, once there is one."""
        while not (found := re.findall(r' handle (\d+) ', await self.output('hcitool', '-i', interface.name, 'con'))):
            await asyncio.sleep(0.05)
        handle, = found
        return handle

    async def test_old_tools_find_and_read_the_strap(self):
        async with self.lubdub('serve', 'scenarios/resting.json') as path, self.bridge(path) as interface:
            await self.output('hciconfig', interface.name, 'up')
            heard = await self.output('timeout', '--signal=INT', '3', 'hcitool', '-i', interface.name, 'lescan')
            self.assertIn(f'{STRAP} Lubdub HRM', heard)
            strap = ['gatttool', '-i', interface.name, '-b', STRAP, '-t', 'random']
            listed = await self.output(*strap, '--primary')
            for service in ('180d', '180f', '180a'):
                self.assertIn(f'uuid: 0000{service}-0000-1000-8000-00805f9b34fb', listed)
            self.assertIn('value: 57 \n', await self.output(*strap, '--char-read', '--uuid=2a19'))
            self.assertIn('value: 01 \n', await self.output(*strap, '--char-read', '--uuid=2a38'))
            self.assertIn("Attribute can't be read", await self.output(*strap, '--char-read', '--uuid=2a37'))
            self.assertEqual(interface.troubles, [])
        self.assertEqual(self.kernel_complaints(), [])
