"""The answers of the real bluetoothd 5.66, and how those of the played one may differ from them."""

import dataclasses
import pathlib
import re

ANSWERS = pathlib.Path(__file__).with_name('answers')
# What is asked of which kind of `[GATT] Cache`.
CHAPTERS = [
    ('objects', 'always'), ('scans', 'always'), ('attributes', 'always'), ('losses', 'always'), ('losses', 'no'),
    ('links', 'always'), ('pairing', 'always')]


@dataclasses.dataclass
class Difference:
    """Text of the real one's answers (a regular expression) that is other text in the played one's, and why."""

    reason: str
    real: str
    played: str = ''

    def apply(self, text):
        """The text as the played one answers, and whether it differs."""
        changed, count = re.subn(self.real, self.played, text, flags=re.MULTILINE)
        return changed, count > 0


CLASSIC = 'not played: Bluetooth Classic'
DIFFERENCES = [
    Difference(CLASSIC, r', ProfileManager1: \{\}, HealthManager1: \{\}'),
    Difference(CLASSIC, r'^    (Profile|Health)Manager1\n(      .*\n)+'),
    Difference(CLASSIC, r', Media1: \{[^}]*\}, NetworkServer1: \{\}'),
    Difference(CLASSIC, r'^    (Media1|NetworkServer1)\n(      .*\n)+'),
    Difference(
        '5.66 never answers, as later versions do', r'^A> (.*) Device1.Pair\(\)\n  = no reply\nA> .*CancelPairing\(\)\n  = done',
        r"A> \1 Device1.Pair()\n  = Error.AlreadyExists 'Already Paired'\n"
        r"A> \1 Device1.CancelPairing()\n  = Error.DoesNotExist 'Does Not Exist'"),
    Difference(
        'agents are not asked yet whether a device may pair that no program pairs with',
        r"^    agent A: RequestAuthorization\('~/02'\)\n"),
]


def stored(chapter, cache):
    """The file with the real one's answers to a chapter."""
    return ANSWERS / f'{chapter}.{cache}.txt'


def expected(chapter, cache):
    """What the played one must answer; and the differences that were applied."""
    text, used = stored(chapter, cache).read_text(), []
    for difference in DIFFERENCES:
        text, is_used = difference.apply(text)
        if is_used:
            used.append(difference)
    return text, used
