"""An agent of bluetoothd: the user of a client."""

import contextlib

from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, method

from harness import until


class ClientAgent(ServiceInterface):
    """The user of the client: enters the strap's passkey, and accepts everything."""

    def __init__(self, shown):
        super().__init__('org.bluez.Agent1')
        self.shown, self.digits = shown, None

    @method()
    async def RequestPasskey(self, device: 'o') -> 'u':
        await until(self.shown, 'the strap shows digits')
        return int(self.shown())

    @method()
    def DisplayPasskey(self, device: 'o', passkey: 'u', entered: 'q'):
        self.digits = f'{passkey:06}'

    @method()
    def RequestConfirmation(self, device: 'o', passkey: 'u'):
        self.digits = f'{passkey:06}'

    @method()
    def RequestAuthorization(self, device: 'o'):
        pass

    @method()
    def Cancel(self):
        pass

    @method()
    def Release(self):
        pass


@contextlib.asynccontextmanager
async def answering(capability, passkey='123456'):
    """bluetoothd asks an agent that knows the passkey, whoever pairs."""
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    agent = ClientAgent(lambda: passkey)
    bus.export('/client/agent', agent)
    try:
        for member, signature, body in (
                ('RegisterAgent', 'os', ['/client/agent', capability]), ('RequestDefaultAgent', 'o', ['/client/agent'])):
            answer = await bus.call(Message(
                destination='org.bluez', path='/org/bluez', interface='org.bluez.AgentManager1', member=member,
                signature=signature, body=body))
            assert answer.message_type != MessageType.ERROR, answer.error_name
        yield agent
    finally:
        bus.disconnect()
