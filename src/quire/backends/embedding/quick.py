"""The local model with numpy alone, for a process that asks one question and ends, such as a hook.

onnxruntime is twice as long in starting as this takes in all. The same int8 numbers are multiplied, in floats that hold
them exactly, so its vectors are those of onnxruntime but for rounding (cosine 0.999). For many texts it is slow.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quire.backends.embedding.weights import PREFIXES, Weights, broken, installed
from quire.backends.embedding.wordpiece import WordPiece
from quire.ports.embedder import Embedder, Identity, Progress, Role

if TYPE_CHECKING:
    import numpy as np

    from quire.ports.embedder import Vectors

    Array = np.ndarray[Any, np.dtype[Any]]

_EPSILON = 1e-12


class QuickEmbedder(Embedder):
    """e5-small in int8, from the package `quire-e5-small`, one text after the other.

    Raises ModuleNotFoundError without numpy, EmbedderUnavailable where the weights are missing or damaged.
    """

    def __init__(self, weights: Weights | None = None) -> None:
        _load_numpy()
        import numpy as np

        self._weights = weights or installed()
        try:
            self._words = WordPiece(self._weights.vocabulary)
            with open(self._weights.constants, encoding="utf-8") as file:
                self._places: dict[str, tuple[int, str, list[int]]] = json.load(file)
            self._raw = np.memmap(self._weights.model, np.uint8, "r")
            end = max(offset for offset, _, _ in self._places.values())
        except (OSError, ValueError) as error:
            raise broken(self._weights.folder, f"cannot be read ({error})") from error
        if end >= len(self._raw):
            raise broken(self._weights.model, "is cut off")
        self._layers = len({name.split(".")[2] for name in self._places if name.startswith("encoder.layer.")})

    @property
    def identity(self) -> Identity:
        return self._weights.identity

    @property
    def max_tokens(self) -> int:
        return self._weights.max_tokens

    def _vectors(self, texts: Sequence[str], role: Role, progress: Progress) -> Vectors:
        import numpy as np

        vectors = np.empty((len(texts), self.identity.dimension), np.float32)
        for at, text in enumerate(texts):
            vectors[at] = self._vector(self._words.encode(PREFIXES[role] + text, self.max_tokens))
            progress(at + 1)
        return vectors

    def _held(self, name: str) -> Array:
        """A constant of the graph, read from the file where it lies."""
        import numpy as np

        offset, kind, shape = self._places[name]
        count = int(np.prod(shape))
        found: Array = np.frombuffer(self._raw, kind, count, offset).reshape(shape)
        return found

    def _vector(self, tokens: list[int]) -> Array:
        words = self._held("words")[tokens] * self._held("words.scale")[tokens]
        states = self._normed(words + self._held("places")[: len(tokens)], "embeddings.LayerNorm")
        for number in range(self._layers):
            states = self._layer(states, f"encoder.layer.{number}")
        mean: Array = states.mean(0)
        return mean

    def _layer(self, states: Array, at: str) -> Array:
        inner, heads = f"{at}.attention.self", self._weights.heads
        count, width = states.shape
        biases = self._held(f"{inner}.bias").reshape(3, width)
        small = _quantised(states)
        query, key, value = (
            (self._product(small, f"{inner}.{name}") + bias).reshape(count, heads, -1).swapaxes(0, 1)
            for name, bias in zip(("query", "key", "value"), biases, strict=True)
        )
        seen = _softmax(query @ key.swapaxes(1, 2) / (width // heads) ** 0.5) @ value
        seen = seen.swapaxes(0, 1).reshape(count, width)
        states = self._added(seen, states, f"{at}.attention.output")
        wide = self._product(_quantised(states), f"{at}.intermediate.dense")
        return self._added(_gelu(wide + self._held(f"{at}.intermediate.dense.bias")), states, f"{at}.output")

    def _added(self, given: Array, before: Array, at: str) -> Array:
        product = self._product(_quantised(given), f"{at}.dense") + self._held(f"{at}.dense.bias")
        return self._normed(product + before, f"{at}.LayerNorm")

    def _product(self, rows: tuple[Array, Array], name: str) -> Array:
        import numpy as np

        small, scales = rows
        product: Array = small @ self._held(f"{name}.weight").astype(np.float32)
        return product * self._held(f"{name}.scale") * scales

    def _normed(self, states: Array, at: str) -> Array:
        import numpy as np

        states = states - states.mean(-1, keepdims=True)
        spread = np.sqrt((states * states).mean(-1, keepdims=True) + np.float32(_EPSILON))
        normed: Array = states / spread * self._held(f"{at}.weight") + self._held(f"{at}.bias")
        return normed


def _load_numpy() -> None:
    """Import numpy with one thread for its products, if nobody did: starting more takes half as long as all else."""
    name = "OPENBLAS_NUM_THREADS"
    if "numpy" in sys.modules or name in os.environ:
        return
    os.environ[name] = "1"
    try:
        import numpy as np  # noqa: F401 - it reads the variable once, as it is loaded
    finally:
        del os.environ[name]


def _quantised(rows: Array) -> tuple[Array, Array]:
    """Whole numbers from -127 to 127, and what one is worth in each row."""
    import numpy as np

    scales = np.maximum(np.abs(rows).max(-1, keepdims=True) * np.float32(1 / 127), np.float32(1e-20))
    return np.rint(rows / scales), scales


def _softmax(scores: Array) -> Array:
    import numpy as np

    scores = np.exp(scores - scores.max(-1, keepdims=True))
    shares: Array = scores / scores.sum(-1, keepdims=True)
    return shares


def _gelu(rows: Array) -> Array:
    """The half of x that 1 + erf(x/√2) leaves, with the error function of Abramowitz and Stegun, 7.1.26."""
    import numpy as np

    size = np.abs(rows) * np.float32(0.5**0.5)
    step = 1 / (1 + np.float32(0.3275911) * size)
    sum = np.zeros_like(rows)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        sum = (sum + np.float32(factor)) * step
    erf = np.copysign(1 - sum * np.exp(-size * size), rows)
    gelu: Array = 0.5 * rows * (1 + erf)
    return gelu
