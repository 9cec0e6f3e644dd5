"""Starts Lubdub's simulated Bluetooth LE devices, and reads its verdicts.  Needs the program `lubdub`, and no package."""

from .failure import Failure, Refused
from .report import Report, judge
from .strap import Strap

__all__ = ['Failure', 'Refused', 'Report', 'Strap', 'judge']
