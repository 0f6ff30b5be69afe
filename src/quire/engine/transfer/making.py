"""Making: the document that a note of a source becomes here."""

from __future__ import annotations

from quire.engine.kinds import Shape
from quire.engine.transfer.pieces import Piece
from quire.engine.transfer.plan import Plan
from quire.engine.transfer.relink import Relinker
from quire.errors import MarkdownError
from quire.locator import Locator
from quire.markdown.document import Document


def made(plan: Plan, relinker: Relinker, piece: Piece, raw: bytes, created: str) -> tuple[Document, str]:
    """What `piece` becomes, and what a person should be told of it. `created` is what its entry says already.

    It depends on the source and on names alone, so that the same source makes the same document again.
    """
    document, why = relinker.relinked(Document.parse(raw.decode("utf-8")), piece)
    try:
        document = plan.named(document, piece, created)
        if plan.flavour.tree:
            document = _renamed(plan, document, piece)
    except MarkdownError as error:
        return document, f"nothing was added to its frontmatter: {error.what}"
    return document, why


def _renamed(plan: Plan, document: Document, piece: Piece) -> Document:
    """An entry of a tree with the name, the status and the place that it has here, where it says these itself."""
    assert piece.kind is not None and piece.place is not None and plan.layout is not None
    before = plan.layout.parse(Locator(piece.path))
    if before and before.name != piece.place.name:
        for name in ("slug", "name") if piece.kind.shape is Shape.FOLDER else ("slug",):
            if document.get(name) == before.name:
                document = document.set(name, piece.place.name)
    if piece.was is not None:
        status, always_load = piece.was
        at = plan.core.layout.place(piece.place)
        entry = plan.core.parsed(at, piece.place, document.text.encode()).entries[0]
        if entry.status is not status:
            document = document.set("status", status.value)
        if entry.always_load is not always_load:
            document = document.set("always_load", always_load)
    return document
