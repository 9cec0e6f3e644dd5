"""The basis of the other tests: the machine, and two btvirt adapters in one air."""

import socket

from harness import LinuxTest, interfaces


class MachineTests(LinuxTest):
    async def test_two_adapters_appear_powered_and_disappear(self):
        async with self.two_adapters() as names:
            self.assertEqual(names, ['hci0', 'hci1'])
            listed = await self.output('bluetoothctl', 'list')
            self.assertEqual(listed.count('Controller 00:AA:01:'), 2, listed)
        self.assertEqual(interfaces(), set())
        self.assertEqual(self.kernel_complaints(), [])

    async def test_the_kernel_complains_of_a_silent_controller(self):
        """Proves that tests for kernel warnings can fail."""
        path = str(self.folder / 'silent')
        with socket.create_server(path, family=socket.AF_UNIX):
            async with self.bridge(path) as interface:
                await self.output('hciconfig', interface.name, 'up')
                self.assertEqual(interface.commands, [])
        self.assertEqual({(command['opcode'], command['status']) for command in interface.commands}, {('0C03', None)})
        self.assertIn('Opcode 0x0c03 failed: -110', ' '.join(self.kernel_complaints()))
