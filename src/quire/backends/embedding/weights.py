"""Where the weights of the local model are: in the package `quire-e5-small`, as files beside its code."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from quire.errors import EmbedderUnavailable
from quire.ports.embedder import Identity, Role

PACKAGE = "quire_e5_small"
PREFIXES: dict[Role, str] = {"passage": "passage: ", "query": "query: "}  # as the model was trained


@dataclass(frozen=True, slots=True)
class Weights:
    """The files of a model, and what is to be known of it before they are read."""

    folder: str
    identity: Identity
    max_tokens: int
    heads: int

    @property
    def model(self) -> str:
        return os.path.join(self.folder, "model.onnx")

    @property
    def constants(self) -> str:
        return os.path.join(self.folder, "constants.json")

    @property
    def vocabulary(self) -> str:
        return os.path.join(self.folder, "vocab.txt")


def installed() -> Weights:
    """The weights of the package. Raises EmbedderUnavailable if it is not installed, or not whole."""
    try:
        import quire_e5_small as package
    except ModuleNotFoundError as error:
        if error.name != PACKAGE:
            raise
        raise EmbedderUnavailable(
            "the weights of e5-small are not installed", where=PACKAGE, remedy="Run: pip install quire-e5-small"
        ) from error
    found: dict[str, Any] = package.DESCRIPTION
    identity = Identity(found["name"], found["version"], found["dimension"])
    weights = Weights(package.FOLDER, identity, found["max_tokens"], found["heads"])
    for path in (weights.model, weights.constants, weights.vocabulary):
        if not os.path.exists(path):
            raise broken(path, "is missing")
    return weights


def broken(path: str, what: str) -> EmbedderUnavailable:
    """The error for files that are not as they were shipped."""
    return EmbedderUnavailable(
        f"the weights of e5-small are damaged: this {what}",
        where=path,
        remedy="Run: pip install --force-reinstall quire-e5-small",
    )
