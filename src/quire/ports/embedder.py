"""An embedder: text to vectors, so that a question finds what says the same in other words.

A backend writes `identity`, `max_tokens` and `_vectors`; the base class asks it only for what makes sense, and lets no
vector out that is not one. `docs/reference/embedding.md` is the specification and `quire.testing.embedder` the exam.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Protocol, Self, TypeAlias

from quire.errors import EmbedderRefused

if TYPE_CHECKING:  # numpy takes longer to import than all of Quire
    import numpy as np

    Vectors: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float32]]

Role: TypeAlias = Literal["passage", "query"]
ROLES: tuple[Role, ...] = ("passage", "query")
Progress: TypeAlias = Callable[[int], object]  # told how many of the texts are done


@dataclass(frozen=True, slots=True)
class Identity:
    """Which model it is. Vectors of two identities cannot be compared, so each is stored with the `key` of its own.

    `version` is whatever makes the same text another vector: the weights, the number format, the prefixes.
    """

    name: str
    version: str
    dimension: int

    @property
    def key(self) -> str:
        """The same in every process and on every machine; another key means that all is embedded anew."""
        return f"{self.name}@{self.version}/{self.dimension}"


class Embedder(ABC):
    """Text to vectors of one model. Thread-safe, and a context manager that closes itself."""

    @property
    @abstractmethod
    def identity(self) -> Identity:
        """Which model it is."""

    @property
    @abstractmethod
    def max_tokens(self) -> int:
        """How much of a text is read, in tokens of the model; what comes after does not count."""

    @abstractmethod
    def _vectors(self, texts: Sequence[str], role: Role, progress: Progress) -> Vectors:
        """One row for each text, in their order, of any length but zero. There is at least one text."""

    def embed(self, texts: Sequence[str], *, role: Role, progress: Progress | None = None) -> Vectors:
        """A vector of unit length for each text, in their order; `role` says whether they ask or answer.

        Any text has one, the empty one too. Batches are made inside, so give all there is; memory beyond the vectors
        does not grow with their number. Raises an EmbeddingError, and then nothing is kept of the call:
        EmbedderUnavailable where trying again may help, EmbedderRefused where it will not, OverBudget where it costs
        more than was allowed.
        """
        import numpy as np

        if isinstance(texts, str) or role not in ROLES:
            raise ValueError(f"a list of texts is wanted, and a role of {', '.join(ROLES)}; this is {role!r}")
        if not texts:
            return np.zeros((0, self.identity.dimension), np.float32)
        return self._checked(self._vectors(texts, role, progress or _nobody), len(texts))

    def close(self) -> None:
        """Give back what is held. Closing twice is once."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _checked(self, vectors: Vectors, count: int) -> Vectors:
        """The vectors at unit length. Raises EmbedderRefused for any that is none."""
        import numpy as np

        wanted = (count, self.identity.dimension)
        if vectors.shape != wanted:
            raise self._not_vectors(f"{wanted[0]} × {wanted[1]} numbers were expected, and {vectors.shape} came")
        vectors = np.asarray(vectors, np.float32)
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused below
            lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
        good = np.isfinite(lengths) & (lengths > 1e-12)
        if not good.all():
            which = int(np.argmin(good))
            raise self._not_vectors(f"that of text {which + 1} of {count} has the length {lengths[which]}")
        unit: Vectors = (vectors / lengths[:, None]).astype(np.float32)
        return unit

    def _not_vectors(self, what: str) -> EmbedderRefused:
        return EmbedderRefused(
            f"what the model gave are not its vectors: {what}",
            where=self.identity.key,
            remedy="Check that the model is the one that is configured; install it again if it is",
        )


def _nobody(_: int) -> None:
    """Told of progress, and does nothing."""


@dataclass(frozen=True, slots=True)
class Spending:
    """What was used, and what it cost in the currency of the configured price."""

    tokens: int = 0
    money: float = 0.0


class Meter(Protocol):
    """Where spending is kept. Whoever wants a ceiling to outlive the process gives one that writes it down.

    It is asked before each request and told after; both may be called from several threads.
    """

    def read(self) -> Spending:
        """What was spent so far, by whoever shares this meter."""

    def add(self, spent: Spending) -> None:
        """Add this. What was added must be read from now on."""
