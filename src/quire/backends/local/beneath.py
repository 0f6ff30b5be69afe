"""One system call that opens a whole path beneath a folder and follows no link: openat2(2), Linux 5.6 and later.

It gives what walking name by name gives, at the price of one step. Where it is missing or refuses, for whatever reason,
the walk is there to find out and to say why.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache
from typing import Any

_OPENAT2 = 437  # of every architecture: it is younger than their common numbering
_BENEATH, _NO_SYMLINKS, _NO_MAGICLINKS = 0x08, 0x04, 0x02


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def opened(path: str, flags: int, within: int) -> int:
    """The descriptor of what is at `path` below `within`; where there is none, the error as a negative number."""
    function = _function()
    if function is None:
        return -errno.ENOSYS
    how = _How(flags, 0, _BENEATH | _NO_SYMLINKS | _NO_MAGICLINKS)
    found = int(function(_OPENAT2, within, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how)))
    return found if found >= 0 else -ctypes.get_errno()


@cache
def _function() -> Any:
    if sys.platform != "linux":
        return None
    function = ctypes.CDLL(None, use_errno=True).syscall
    function.restype = ctypes.c_long
    function.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
    return function
