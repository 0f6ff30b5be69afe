"""SQLite: the default index, one file without a server. `apsw` brings an SQLite that is everywhere the same."""

from quire.backends.sqlite.index import SqliteIndex

__all__ = ["SqliteIndex"]
