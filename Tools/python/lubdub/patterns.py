"""Patterns of events: whether an event matches, and whether one ever can.

A misspelt pattern matches nothing, so a test that something does not happen would always pass.  Lubdub checks names, paths,
reasons and errors as in scenarios; the members of the log's lines are listed here.
"""

import difflib
import json
import re

from .failure import Failure, Refused

# The members of the lines of events, besides `t`.
LINES = [
    ('lubdub scenario seed digest set', 'start'),
    ('status', 'end'),
    ('of', 'advertising scanning scanning_stopped'),
    ('of peer', 'connecting connected encrypted paired bond_lost discovering discovered'),
    ('of peer reason', 'disconnected encryption_failed pairing_failed'),
    ('of peer value', 'mtu'),
    ('of peer handle', 'subscribed unsubscribed confirmed'),
    ('of peer handle value octets', 'read written notified delivered indicated'),
    ('of peer handle error', 'refused'),
    ('of value', 'saturated'),
    ('of line rule value', 'began ended'),
]
MEMBERS = {name: ['t', *members.split()] for members, names in LINES for name in names.split()}
ALL_MEMBERS = list(dict.fromkeys(member for members in MEMBERS.values() for member in members))

# How the log writes members that are text.
FORMS = {
    'of': ('.*', 'strap/heart_rate'),
    'peer': ('([0-9A-F]{2}:){5}[0-9A-F]{2}/(random|public)', 'F0:F1:F2:F3:F4:F5/random'),
    'octets': ('([0-9A-F]{2}( [0-9A-F]{2})*)?', '06 48'),
    'reason': ('.*', 'connection_timeout'),
    'error': ('.*', 'read_not_permitted'),
    'rule': ('.*', 'away'),
}

# The origins of actions that are not rules with an id.
UNNAMED_RULE = r'rule [1-9]\d*'
MANUAL = r'control [1-9]\d*|key \w+|page'

# What the names of members are elsewhere.
MEANT = {'timeout': 'limit', 'within': 'limit', 'since': 'after', 'path': 'of', 'target': 'of'}


def matches(event, of=None, **members):
    """Whether an event concerns what a path names, and has these members.

    As in scenarios, a `value` that is not an object is the main member of one, which is the first.
    """
    value = event.get('value')
    if isinstance(value, dict) and not isinstance(members.get('value', {}), dict):
        event = event | {'value': next(iter(value.values()), None)}
    return (of is None or f'/{of}/' in f'/{event.get("of", "")}/') and includes(event, members)


def includes(value, part):
    """Whether a JSON value equals another, or has at least the members of an object."""
    if isinstance(part, dict):
        return isinstance(value, dict) and all(name in value and includes(value[name], part[name]) for name in part)
    return value == part


class Patterns:
    """The patterns of one scenario, each of which is checked once."""

    def __init__(self, ask):
        """`ask` returns the reply to a request of the control socket, or raises `Refused`."""
        self._ask = ask
        self._paths = {}
        self._right = set()

    def check(self, name, members, options=()):
        """Fails if no event can have this name and these members; `options` are what else the caller accepts."""
        pattern = repr((name, members))
        if pattern not in self._right:
            self._check_name(name)
            self._check_members(name, members, options)
            self._right.add(pattern)

    def hint(self, name, members):
        """Why an event that did not come is perhaps another one."""
        rules = self.paths('began') if name in ('began', 'ended') and members.get('of') else []
        if not rules or members['of'] in rules or re.fullmatch(UNNAMED_RULE, members['of']):
            return ''
        return f' (when a rule of the script acts, `of` is its id: {", ".join(rules)})'

    def paths(self, name, **conditions):
        """What `of` can be in the log for events with this name; raises `Refused` if they do not exist."""
        event = {'event': name, **conditions}
        key = json.dumps(event)
        if key not in self._paths:
            self._paths[key] = self._ask({'ask': 'event', 'event': event})['of']
        return self._paths[key]

    def _check_name(self, name):
        if name in ('said', 'exited'):
            raise Failure(f'a strap starts no client, so its log has no event {name} (lubdub_run starts one)')
        if name not in (None, 'start', 'end'):
            try:
                self.paths(name)
            except Refused as refused:
                raise Failure(f'there is no event {name}: {refused}; see lubdub explain events') from None

    def _check_members(self, name, members, options):
        known = MEMBERS.get(name, ALL_MEMBERS)
        for member, value in members.items():
            if member not in known:
                raise Failure(f'{name or "an event"} has no {member}; {meant(member, [*known, *options], known)}')
            if value is None and member == 'of':
                continue
            form, example = FORMS.get(member, ('', ''))
            if example and not (isinstance(value, str) and re.fullmatch(form, value)):
                raise Failure(f'no event can have {member}={value!r} (the log has {member} such as {example!r})')
            if member == 'of':
                self._check_path(name, value)
            elif member == 'rule':
                self._check_rule(value)
            elif member in ('reason', 'error'):
                self._check_code(name, member, value)
            elif member == 'value' and (matcher := matcher_in(value)):
                raise Failure(f'`value` cannot have the matcher {matcher} (leave it out, and test the value of each event)')

    def _check_path(self, name, path):
        # Rules act on anything, and the log has their ids, or the targets of actions that a test started.
        is_rule = name in (None, 'began', 'ended')
        known = [*self.paths('began'), *self.paths('refused')] if is_rule else self.paths(name)
        if any(matches({'of': place}, path) for place in known) or is_rule and re.fullmatch(UNNAMED_RULE, path):
            return
        try:
            places = self.paths('refused' if is_rule else name, of=path)
        except Refused as refused:
            raise Failure(f'{name or "an event"} cannot have of={path!r}: {refused}') from None
        raise Failure(
            f'{name or "an event"} cannot have of={path!r}: it is a part of the value of {places[0]} '
            f'(write of={places[0]!r}, and the part in `value`)')

    def _check_rule(self, rule):
        if re.fullmatch(f'{UNNAMED_RULE}|{MANUAL}', rule):
            return
        try:
            self.paths('began', of=rule)
        except Refused as refused:
            raise Failure(f'no event can have rule={rule!r}: {refused}') from None

    def _check_code(self, name, member, code):
        # Some codes have no name.  Pairing can also fail because of the link, or for want of an answer.
        is_pairing = name in (None, 'pairing_failed') and member == 'reason'
        if re.fullmatch('0x[0-9A-F]{2}', code) or is_pairing and code == 'timed_out':
            return
        refusal = None
        for event in ['refused'] if member == 'error' else ['pairing_failed', 'disconnected'] if is_pairing else [name]:
            try:
                return self.paths(event, **{member: code})
            except Refused as refused:
                refusal = refused
        raise Failure(f'{name or "an event"} cannot have {member}={code!r}: {refusal}')


def meant(member, choices, known):
    """The member that is probably meant, or those that exist."""
    near = [MEANT[member]] if MEANT.get(member) in choices else difflib.get_close_matches(member, choices, 1)
    return f'did you mean {near[0]}?' if near else f'its members are {", ".join(known)}'


def matcher_in(value):
    """A key of a scenario's matchers in a value, such as `$min`; None without one."""
    if isinstance(value, list):
        return next(filter(None, map(matcher_in, value)), None)
    if isinstance(value, dict):
        return next((name for name in value if str(name).startswith('$')), None) or matcher_in(list(value.values()))
    return None
