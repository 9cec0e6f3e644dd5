"""The user of a client above BlueZ.

bluetoothd pairs when a device refuses a request, and asks an agent.  bleak has none, so the adapter registers this one.
"""

import contextlib

from adapter import PASSKEY, report
from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, method

PATH = '/adapter/agent'
DEVICE = 'org.bluez.Device1'
CHANGES = f"type='signal',sender='org.bluez',interface='org.freedesktop.DBus.Properties',arg0='{DEVICE}'"


class Agent(ServiceInterface):
    """Has a keyboard and a display, and sees the device."""

    def __init__(self):
        super().__init__('org.bluez.Agent1')

    @method()
    def RequestPasskey(self, device: 'o') -> 'u':
        report(passkey={'requested': True})
        return PASSKEY

    @method()
    def DisplayPasskey(self, device: 'o', passkey: 'u', entered: 'q'):
        if not entered:
            report(passkey={'displayed': passkey})

    @method()
    def RequestConfirmation(self, device: 'o', passkey: 'u'):
        report(passkey={'compared': passkey})

    @method()
    def RequestAuthorization(self, device: 'o'):
        pass

    @method()
    def Cancel(self):
        pass

    @method()
    def Release(self):
        pass


def show_pairing(message):
    """Reports that bluetoothd has new keys of a device; it does not report whether they are authenticated."""
    if message.member == 'PropertiesChanged' and message.body[0] == DEVICE:
        paired = message.body[1].get('Paired')
        if paired and paired.value:
            bonded = message.body[1].get('Bonded')
            report(paired={'bonded': bool(bonded and bonded.value)})


@contextlib.asynccontextmanager
async def answering():
    """bluetoothd asks the agent, whichever program pairs."""
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()

    async def call(destination, path, interface, member, signature, *body):
        answer = await bus.call(Message(
            destination=destination, path=path, interface=interface, member=member, signature=signature, body=list(body)))
        if answer.message_type == MessageType.ERROR:
            raise ConnectionError(f'{member}: {answer.error_name}')

    bus.add_message_handler(show_pairing)
    bus.export(PATH, Agent())
    try:
        await call('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'AddMatch', 's', CHANGES)
        manager = 'org.bluez', '/org/bluez', 'org.bluez.AgentManager1'
        await call(*manager, 'RegisterAgent', 'os', PATH, 'KeyboardDisplay')
        await call(*manager, 'RequestDefaultAgent', 'o', PATH)
        yield
    finally:
        bus.disconnect()
