from __future__ import annotations

import errno
import pickle
import re

import pytest

from quire import errors
from quire.errors import AlreadyExists, Conflict, NotFound, QuireError, SelectionError

ALL = [thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, QuireError)]


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    drawn = re.findall(r"── (\w+)", errors.__doc__ or "")
    assert sorted([*drawn, "QuireError"]) == sorted(error.__name__ for error in ALL)


@pytest.mark.parametrize("error", ALL)
def test_every_error_has_a_code_and_says_what_where_and_what_next(error: type[QuireError]) -> None:
    made = error("it broke", where="notes/a.md", remedy="Mend it")
    assert made.code == made.code.upper()
    assert str(made) == "notes/a.md: it broke. Mend it"
    assert error("it broke").remedy == ""
    again = pickle.loads(pickle.dumps(made))
    assert (type(again), str(again), again.code) == (error, str(made), made.code)


def test_codes_are_unique() -> None:
    codes = [error.code for error in ALL]
    assert len(set(codes)) == len(codes)


def test_the_built_in_kin_is_caught_too() -> None:
    assert issubclass(NotFound, FileNotFoundError)
    assert issubclass(AlreadyExists, FileExistsError)
    assert issubclass(errors.InvalidLocatorError, ValueError)
    assert issubclass(errors.Busy, TimeoutError)
    assert issubclass(errors.AccessDenied, PermissionError)
    assert NotFound("x").errno == errno.ENOENT
    assert Conflict("x", current="abc").current == "abc"
    assert SelectionError("x", code="EXTRA_MISSING").code == "EXTRA_MISSING"
