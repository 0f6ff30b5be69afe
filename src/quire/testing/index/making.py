"""Files and records made for the exam, from text whose words stand apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quire.ports.index import Filter, Index, IndexedFile, Link, Piece, Record, Ref, WordHit

HERE = "default/default/agent:default"
ELSEWHERE = "default/default/user:alice"


def said(text: str) -> list[str]:
    return text.split()


def entry(id: str, body: str = "", *, scope: str = HERE, kind: str = "fix", title: str = "", **more: Any) -> Record:
    """A record of these words. `pieces` may be given as (hash, words)."""
    words = {"body": said(body), "title": said(title), **more.pop("words", {})}
    pieces = tuple(
        Piece(place, place + 1, name, said(text)) for place, (name, text) in enumerate(more.pop("pieces", ()))
    )
    links = tuple(Link(relation, Ref(scope, target)) for relation, target in more.pop("links", ()))
    return Record(scope, id, kind, title=title, words=words, pieces=pieces, links=links, **more)


def file(key: str, *records: Record, version: str = "") -> IndexedFile:
    return IndexedFile(key, version or f"version of {key}", records)


def fill(index: Index, *records: Record) -> None:
    """Each record in a file of its own."""
    index.apply([file(f"{record.scope}/{record.id}.md", record) for record in records])


def within(*scopes: str, **more: Any) -> Filter:
    return Filter(scopes or (HERE,), **more)


def asked(index: Index, text: str, filter: Filter | None = None, limit: int = 50) -> list[WordHit]:
    return index.words(dict.fromkeys(said(text), 1.0), filter or within(), limit)


def ids(hits: Sequence[Any]) -> list[str]:
    return [hit.ref.id for hit in hits]
