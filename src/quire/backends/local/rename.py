"""The two renames that Python's `os` lacks: one that never overwrites, one that exchanges two names.

Both are atomic in the kernel. Where the system or the file system has neither, `Unsupported` is raised and the caller
falls back to what its lock can protect.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache
from typing import Any

# Linux: renameat2(2). macOS: renameatx_np(2), the same shape with its own flags.
_NAME, _NOREPLACE, _EXCHANGE = ("renameatx_np", 4, 2) if sys.platform == "darwin" else ("renameat2", 1, 2)
_LACKING = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


class Unsupported(Exception):
    """This file system or system cannot do it. Never leaves the local backend."""


def noreplace(source: str, target: str, source_fd: int, target_fd: int) -> None:
    """Rename; FileExistsError where `target` is taken. Raises Unsupported."""
    _call(source, target, source_fd, target_fd, _NOREPLACE)


def exchange(one: str, other: str, fd: int) -> None:
    """Let two names in one folder change places; FileNotFoundError where either is missing. Raises Unsupported."""
    _call(one, other, fd, fd, _EXCHANGE)


def _call(source: str, target: str, source_fd: int, target_fd: int, flags: int) -> None:
    function = _function()
    if function is None:
        raise Unsupported(_NAME)
    if function(source_fd, os.fsencode(source), target_fd, os.fsencode(target), flags) == 0:
        return
    number = ctypes.get_errno()
    if number in _LACKING:
        raise Unsupported(os.strerror(number))
    raise OSError(number, os.strerror(number), target)


@cache
def _function() -> Any:
    function = getattr(ctypes.CDLL(None, use_errno=True), _NAME, None)
    if function is not None:
        function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return function
