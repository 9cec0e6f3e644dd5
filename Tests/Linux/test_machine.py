"""What later tests stand on: the machine itself, and two adapters in one air that are not ours."""

import socket

from harness import LinuxTest, interfaces


class MachineTests(LinuxTest):
    async def test_two_adapters_come_powered_and_go(self):
        async with self.two_adapters() as names:
            self.assertEqual(names, ['hci0', 'hci1'])
            listed = await self.output('bluetoothctl', 'list')
            self.assertEqual(listed.count('Controller 00:AA:01:'), 2, listed)
        self.assertEqual(interfaces(), set())
        self.assertEqual(self.kernel_complaints(), [])

    async def test_the_kernel_complains_of_a_controller_that_keeps_silent(self):
        """Else the tests that expect no complaints could not fail."""
        path = str(self.folder / 'silent')
        with socket.create_server(path, family=socket.AF_UNIX):
            async with self.bridge(path) as interface:
                await self.output('hciconfig', interface.name, 'up')
                self.assertEqual(interface.commands, [])
        self.assertEqual({(command['opcode'], command['status']) for command in interface.commands}, {('0C03', None)})
        self.assertIn('Opcode 0x0c03 failed: -110', ' '.join(self.kernel_complaints()))
