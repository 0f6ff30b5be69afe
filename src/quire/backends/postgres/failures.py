"""What goes wrong below, in our own words. Sorted by SQLSTATE, so that nothing here needs the driver."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from quire.errors import AccessDenied, QuireError, SelectionError, StorageFailed, StorageFull, Unavailable

PARENT_MISSING, TAKEN, CHECK_FAILED = "23503", "23505", "23514"  # the rules of the table that a change can break
_ABSENT = {"3D000": "NO_DATABASE", "3F000": "NO_SCHEMA"}
TRY_AGAIN = frozenset({"40001", "40P01"})  # undone by the server for the sake of another: nothing happened


class BrokenRule(Exception):
    """A statement was refused by a rule of the table, and nothing happened."""

    def __init__(self, state: str) -> None:
        super().__init__(state)
        self.state = state


class Address:
    """A DSN that can be spoken of: `place` names the server and the database, `scrub` takes the password out of a text.

    Raises SelectionError for a DSN that cannot be read. Its text is never repeated, as a part of a password may be in
    any part of it.
    """

    def __init__(self, dsn: str) -> None:
        parts = urlsplit(dsn) if _readable(dsn) else None
        if parts is None:
            raise SelectionError(
                "the DSN cannot be read (it is not repeated here, for the password in it)",
                remedy="Write postgresql://user:password@host:port/database, with special characters as %XX",
                code="BAD_DSN",
            )
        options = dict(option.partition("=")[::2] for option in parts.query.split("&"))
        raw = {parts.password or "", options.get("password", "")} - {""}
        self._secrets = sorted(raw | {unquote(secret) for secret in raw}, key=len, reverse=True)
        host = parts.netloc.rpartition("@")[2] or unquote(options.get("host", "localhost"))
        self.place = f"{host}/{unquote(parts.path.lstrip('/'))}".rstrip("/")

    def scrub(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def failure(self, error: BaseException, timeout: float) -> QuireError | BrokenRule:
        """What `error` of the driver means. A statement that failed so has changed nothing."""
        state = str(getattr(error, "sqlstate", None) or "")
        if state in (PARENT_MISSING, TAKEN, CHECK_FAILED):
            return BrokenRule(state)
        said = self.scrub(str(error).partition("\n")[0]) or type(error).__name__
        for prefix, kind, what, remedy in _MEANINGS:
            if state.startswith(prefix):
                return kind(what.format(said=said, timeout=timeout), where=self.place, remedy=remedy)
        if state in _ABSENT:
            return SelectionError(said, where=self.place, remedy="Create it, or name another", code=_ABSENT[state])
        if state:
            return StorageFailed(f"the database refused ({state}: {said})", where=self.place)
        return unreachable(self.place, said)


def unreachable(place: str, said: str) -> Unavailable:
    """The error for a server that does not answer."""
    remedy = "Check that the server runs and can be reached, then try again"
    return Unavailable(f"the database does not answer ({said})", where=place, remedy=remedy)


def _readable(dsn: str) -> bool:
    """Whether every part of the DSN is what it seems. An unescaped `/`, `?` or `#` would move a password elsewhere."""
    try:
        parts = urlsplit(dsn)
        for host in parts.netloc.rpartition("@")[2].split(","):
            _ = urlsplit(f"//{host}").port
    except (ValueError, AttributeError, TypeError):
        return False
    strayed = "@" in parts.path + parts.query and "@" not in parts.netloc
    return parts.scheme in ("postgres", "postgresql") and not parts.fragment and not strayed


# SQLSTATE begins with · what it is here · what it says · what to do. The first that fits.
_MEANINGS: tuple[tuple[str, type[QuireError], str, str], ...] = (
    ("28", AccessDenied, "the server refuses the login ({said})", "Check user and password, and pg_hba.conf"),
    ("42501", AccessDenied, "the role may not do this ({said})", "Grant it the rights on the table, or use another"),
    ("25006", AccessDenied, "the database only reads ({said})", "Name the primary in the DSN, not a standby"),
    ("53100", StorageFull, "the disk of the server is full ({said})", "Free space there; the old content is intact"),
    ("57014", Unavailable, "the statement was ended after {timeout:g} s ({said})", "Try again, or raise `timeout`"),
    ("53300", Unavailable, "the server has no connection to spare ({said})", "Try again, or raise max_connections"),
    ("57P", Unavailable, "the server is starting or stopping ({said})", "Try again"),
    ("08", Unavailable, "the connection was lost ({said})", "Try again"),
)
