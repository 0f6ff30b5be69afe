"""Who embeds: the service that is configured, else the local model, else nobody, and then words answer alone.

Nobody stands in for another unasked. Vectors of two models cannot be compared, so a service whose key is missing in one
shell is not replaced by the local model there: all would be embedded anew, and anew again from the next shell.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quire.backends.embedding.weights import PACKAGE
from quire.errors import EmbedderUnavailable
from quire.ports.embedder import Embedder, Meter

USES = ("auto", "api", "local", "none")
_NEEDED = {"api": ("numpy",), "local": ("numpy", "onnxruntime", PACKAGE)}


@dataclass(frozen=True, slots=True)
class Choice:
    """The embedder, or None. `reasons` say why each that comes before it in the chain was not taken.

    `broken` is true where one was asked for, or is installed, and still cannot be used; `costs` where each text is sent
    to a service that counts it.
    """

    embedder: Embedder | None
    reasons: tuple[str, ...] = ()
    broken: bool = False
    costs: bool = False

    def __str__(self) -> str:
        reasons = "; ".join(self.reasons)
        if self.embedder is None:
            return f"none, words answer alone ({reasons})"
        identity = self.embedder.identity
        return f"{identity.name}, {identity.dimension} dimensions" + (f" ({reasons})" if self.reasons else "")


def choose(
    use: str, api: Mapping[str, Any] | None, *, missing_key: str = "", once: bool = False, meter: Meter | None = None
) -> Choice:
    """The first of the chain that `use` (one of USES) allows and that is there.

    `api` are the options of the service, None where none is configured; `missing_key` names the variable that should
    hold its key, where it is not set. `once` is for a process that asks one question and ends. Raises SelectionError
    for options that cannot be.
    """
    if use == "none":
        return Choice(None, ("embedding.use is none",))
    if use in ("auto", "api") and api is not None:
        return _service(api, missing_key, meter)
    if use in ("auto", "local"):
        return _local(once, asked_for=use == "local")
    return Choice(None, ("api: no service is configured below [embedding.api]",), broken=True)


def _service(api: Mapping[str, Any], missing_key: str, meter: Meter | None) -> Choice:
    from quire.backends.embedding.api import ApiEmbedder

    embedder = ApiEmbedder(**api, meter=meter)
    if missing_key:
        why = f"api: the environment has no {missing_key}, which holds the key; set it, or remove [embedding.api]"
    elif lacking := _lacking("api"):
        why = f"api: {lacking}"
    else:
        return Choice(embedder, costs=True)
    embedder.close()
    return Choice(None, (why,), broken=True)


def _local(once: bool, *, asked_for: bool) -> Choice:
    if lacking := _lacking("local"):
        return Choice(None, (f"local: {lacking}",), broken=asked_for)
    try:
        if once:
            from quire.backends.embedding.quick import QuickEmbedder

            return Choice(QuickEmbedder())
        from quire.backends.embedding.local import LocalEmbedder

        return Choice(LocalEmbedder())
    except (EmbedderUnavailable, ImportError) as error:
        return Choice(None, (f"local: {error}",), broken=True)


def _lacking(who: str) -> str:
    """What is not installed of what is needed, and what to do about it."""
    absent = [name for name in _NEEDED[who] if importlib.util.find_spec(name) is None]
    wanted = ["'quire[embed]'"] if set(absent) - {PACKAGE} else []
    wanted += ["quire-e5-small"] if PACKAGE in absent else []
    names = ", ".join(name.replace("_", "-") for name in absent)
    return f"{names} not installed; run: pip install {' '.join(wanted)}" if absent else ""
