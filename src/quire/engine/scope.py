"""Scope: whose memory it is. It lives in the path, never in the text."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from quire.errors import InvalidLocatorError, InvalidScope
from quire.locator import normalize_key

DEFAULT = "default"


class Owner(enum.Enum):
    """Whose it is: a person's, an agent's, or everybody's."""

    USER = "user"
    AGENT = "agent"
    SHARED = "shared"


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """`(app, project, owner, id)`: entries of two scopes never share a folder. What is shared has no id.

    Raises InvalidScope for a part that could not be one folder's name.

    >>> Scope(project="atlas", owner=Owner.USER, id="alice")
    Scope(default/atlas/user:alice)
    """

    app: str = DEFAULT
    project: str = DEFAULT
    owner: Owner = Owner.AGENT
    id: str = DEFAULT

    def __post_init__(self) -> None:
        if self.owner is Owner.SHARED:
            object.__setattr__(self, "id", "")
        for name in ("app", "project", "id"):
            value = getattr(self, name)
            if not (name == "id" and self.owner is Owner.SHARED):
                object.__setattr__(self, name, checked(name, value))

    def __str__(self) -> str:
        owner = self.owner.value if self.owner is Owner.SHARED else f"{self.owner.value}:{self.id}"
        return f"{self.app}/{self.project}/{owner}"

    def __repr__(self) -> str:
        return f"Scope({self})"

    def sort_key(self) -> tuple[str, str, str, str]:
        """The order scopes are listed in."""
        return (self.app, self.project, self.owner.value, self.id)

    @classmethod
    def parse(cls, text: str, base: Scope | None = None) -> Scope:
        """The scope that `text` names: `user:alice`, `atlas/agent:coder`, `app/atlas/shared`; the rest is `base`'s.

        Raises InvalidScope.

        >>> Scope.parse("atlas/user:alice")
        Scope(default/atlas/user:alice)
        """
        base = base or cls()
        if not isinstance(text, str):
            raise _refused(text, f"it is {type(text).__name__}, not text")
        *path, last = text.strip().split("/")
        owner_name, _, owner_id = last.partition(":")
        try:
            owner = Owner(owner_name)
        except ValueError as error:
            raise _refused(text, f"{last!r} names no owner") from error
        if owner is Owner.SHARED and owner_id:
            raise _refused(text, "what is shared has no id")
        if len(path) > 2:
            raise _refused(text, "there are more than three parts")
        project = path[-1] if path else base.project
        app = path[0] if len(path) == 2 else base.app
        inherited = base.id if owner is base.owner else DEFAULT
        return cls(app, project, owner, owner_id or inherited)

    def owned_by(self, owner: Owner, id: str = DEFAULT) -> Scope:
        """The same app and project, with another owner."""
        return replace(self, owner=owner, id=id)


def checked(name: str, value: str) -> str:
    """`value` if it can be one folder's name and nobody else's. Raises InvalidScope."""
    try:
        normal = normalize_key(value)
    except InvalidLocatorError as error:
        raise _refused(value, f"the {name} cannot be a folder's name: {error.what}") from error
    if not normal or "/" in normal:
        raise _refused(value, f"the {name} must be one name, not a path" if normal else f"the {name} is empty")
    if normal[0] in "._":
        raise _refused(value, f"a {name} cannot begin with {normal[0]!r}, which marks folders of Quire's own")
    if name in ("app", "project") and normal == f"{DEFAULT}_{name}":
        raise _refused(value, f"{normal!r} is how the {name} {DEFAULT!r} is spelled on disk")
    return normal


def _refused(text: object, why: str) -> InvalidScope:
    return InvalidScope(
        f"{text!r} is not a scope: {why}", remedy="Write user:alice, agent:coder, shared, or app/project/user:alice"
    )
