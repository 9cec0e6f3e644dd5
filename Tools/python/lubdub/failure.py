"""What can go wrong besides the client under test."""


class Failure(Exception):
    """Lubdub did not start, ended early, or did not do as asked; the message has its standard error.

    `report` has what `judge` had judged until its limit; None for others.
    """

    report = None


class Refused(Failure):
    """A request that Lubdub refused, with its reason."""
