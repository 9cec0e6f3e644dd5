"""Asks the questions of a chapter, and prints the answers.

    python oracle.py CHAPTER CONTROL CACHE

CONTROL is the path of the control socket of `lubdub serve Tests/Oracle/scenario.json`, CACHE is that of `[GATT]` in main.conf.

`org.bluez` at DBUS_SYSTEM_BUS_ADDRESS is the real daemon, or the one that Lubdub plays.
"""

import asyncio
import importlib
import sys

from asking import Oracle

CHAPTERS = ('objects', 'scans', 'attributes', 'losses', 'links', 'pairing')


async def main(chapter, control, cache):
    oracle = Oracle(control, keeps=cache != 'no')
    try:
        await importlib.import_module(chapter).answer(oracle)
    finally:
        print('\n'.join(oracle.lines).strip())
    print(f'{oracle.count} questions', file=sys.stderr)


if __name__ == '__main__':
    asyncio.run(main(*sys.argv[1:]))
