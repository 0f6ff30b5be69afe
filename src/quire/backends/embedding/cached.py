"""An embedder that remembers the last questions: the same ones come again, and a vector is 1.5 kB."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from quire.ports.embedder import Embedder, Identity, Progress, Role

if TYPE_CHECKING:
    import numpy as np

    from quire.ports.embedder import Vectors


class CachedEmbedder(Embedder):
    """`embedder`, and the vectors of the last `size` texts by model, role and text. Closes what it wraps. Thread-safe.

    For questions. Passages come once, and their vectors are kept by the index.
    """

    def __init__(self, embedder: Embedder, size: int) -> None:
        if size < 1:
            raise ValueError(f"a cache has room for at least one vector, not {size}")
        self._embedder = embedder
        self._size = size
        self._held: OrderedDict[tuple[str, Role, bytes], np.ndarray[tuple[int], np.dtype[np.float32]]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def identity(self) -> Identity:
        return self._embedder.identity

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    def close(self) -> None:
        with self._lock:
            self._held.clear()
        self._embedder.close()

    def _vectors(self, texts: Sequence[str], role: Role, progress: Progress) -> Vectors:
        import numpy as np

        model = self.identity.key
        keys = [(model, role, hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()) for text in texts]
        found = {}
        with self._lock:
            for key in keys:
                if key in self._held:
                    self._held.move_to_end(key)
                    found[key] = self._held[key]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            vectors = self._embedder.embed(list(missing.values()), role=role)
            found |= {key: vector.copy() for key, vector in zip(missing, vectors, strict=True)}
            with self._lock:
                self._held.update((key, found[key]) for key in list(missing)[-self._size :])
                while len(self._held) > self._size:
                    self._held.popitem(last=False)
        progress(len(texts))
        return np.stack([found[key] for key in keys])
