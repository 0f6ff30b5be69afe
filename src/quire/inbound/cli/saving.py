"""`quire save` and `quire append`."""

from __future__ import annotations

from argparse import Namespace

from quire.inbound.cli.asking import fields, opened, text_of
from quire.inbound.cli.output import tell


def save(asked: Namespace) -> int:
    """Remember a text."""
    text = text_of(asked, asked.text)
    further = fields(asked.field)
    with opened(asked, run=asked.run) as memory:
        entry = memory.save(
            text,
            kind=asked.kind or "preference",
            slug=asked.slug,
            title=asked.title,
            tags=asked.tag,
            scope=asked.scope,
            always_load=asked.always_load,
            supersedes=asked.supersedes,
            derived_from=asked.derived_from,
            source=asked.source,
            status=asked.status or "active",
            valid_from=asked.valid_from,
            valid_to=asked.valid_to,
            at=asked.at,
            fields=further,
        )
    return tell(asked, entry)


def append(asked: Namespace) -> int:
    """Add to a log."""
    text = text_of(asked, asked.text)
    further = fields(asked.field)
    with opened(asked, run=asked.run) as memory:
        entry = memory.append(
            text,
            kind=asked.kind or "episode",
            at=asked.at,
            scope=asked.scope,
            tags=asked.tag,
            title=asked.title,
            derived_from=asked.derived_from,
            source=asked.source,
            fields=further,
        )
    return tell(asked, entry)
