"""Starts Lubdub's simulated Bluetooth LE devices, and reads its verdicts.  Needs the program `lubdub`, and no package."""

from .report import Report, judge
from .strap import Failure, Refused, Strap

__all__ = ['Failure', 'Refused', 'Report', 'Strap', 'judge']
