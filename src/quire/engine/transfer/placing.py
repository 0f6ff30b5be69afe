"""Placing: where the files of a source go that are no entries."""

from __future__ import annotations

from quire.engine.kinds import Shape
from quire.engine.scope import Scope
from quire.engine.transfer.pieces import Role
from quire.engine.transfer.plan import Plan
from quire.errors import EntryError, QuireError
from quire.locator import Locator

ATTACHMENTS = "_attachments"


def place_all(plan: Plan) -> None:
    """Say of each file of the plan where it goes, or why it can go nowhere."""
    placer = _Placer(plan)
    for piece in plan.pieces:
        if piece.role is Role.FILE:
            try:
                piece.scope, piece.at = placer.of(piece.path, kept=bool(piece.reason))
            except QuireError as error:
                piece.reason = str(error)


class _Placer:
    """Knows the folders of a tree, and those that they become here."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._folders: dict[str, tuple[Scope, str]] = {}  # of the source, to those here
        layout, core = plan.layout, plan.core
        for piece in plan.pieces if layout else ():
            if layout is None or piece.role is Role.FILE or piece.place is None:
                continue
            scope, base = piece.scope, "/".join(layout.base(piece.scope))
            try:
                here = "/".join(core.layout.base(scope))
                harness = core.layout.harness(scope.project).key
                own = core.layout.place(piece.place).parent.key
            except EntryError:
                continue  # a scope for which there is no room here: its entries say so
            self._folders[f"{base}/{ATTACHMENTS}"] = scope, f"{here}/{ATTACHMENTS}"
            self._folders[layout.harness(scope.project).key] = scope, harness
            if not plan.crosses:
                self._folders.setdefault(base, (scope, here))
            if piece.kind and piece.kind.shape is Shape.FOLDER:
                self._folders[Locator(piece.path).parent.key] = scope, own

    def of(self, path: str, *, kept: bool) -> tuple[Scope, Locator]:
        """The scope and the locator of a file: beside what it lay beside, else below `_attachments`.

        `kept` is for what lies where entries do, and is none here. Raises InvalidLocatorError where that is too long.
        """
        plan = self._plan
        parent = Locator() if kept and plan.crosses else Locator(path).parent
        while parent.key:
            if found := self._folders.get(parent.key):
                scope, folder = found
                return scope, Locator(folder + path[len(parent.key) :])
            parent = parent.parent
        if plan.flavour.name == "quire" and not plan.crosses:
            return plan.scope, Locator(path)
        base = Locator("/".join(plan.core.layout.base(plan.scope)))
        return plan.scope, base.child(ATTACHMENTS, plan.name, path)
