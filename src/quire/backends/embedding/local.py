"""The local model on onnxruntime: many texts at once, both cores busy. For one question, `quick` starts faster."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from quire.backends.embedding.weights import PREFIXES, Weights, broken, installed
from quire.backends.embedding.wordpiece import WordPiece
from quire.errors import EmbedderRefused, EmbedderUnavailable
from quire.ports.embedder import Embedder, Identity, Progress, Role

if TYPE_CHECKING:
    import numpy as np

    from quire.ports.embedder import Vectors

_WINDOW = 2048  # texts that are sorted by length at a time; their tokens are all that is held of them
_BATCH_TOKENS = 2048  # of one run, padding included: its working memory is some 80 MB, whatever is asked
_MAX_THREADS = 16


class LocalEmbedder(Embedder):
    """e5-small in int8, from the package `quire-e5-small`. Needs the extra `quire[embed]`.

    Each of `threads` (as many as there are cores to run on) works on a batch of its own, and a batch has texts of about
    one length. Opening takes a tenth of a second. Raises ModuleNotFoundError without onnxruntime, EmbedderUnavailable
    where the weights are missing or damaged.
    """

    def __init__(self, weights: Weights | None = None, *, threads: int | None = None) -> None:
        import onnxruntime

        self._weights = weights or installed()
        self._threads = min(threads or _cores(), _MAX_THREADS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_mem_pattern = False  # patterns are kept for each shape, and every batch has its own
        options.log_severity_level = 3
        try:
            self._words = WordPiece(self._weights.vocabulary)
            session = onnxruntime.InferenceSession(self._weights.model, options, providers=["CPUExecutionProvider"])
        except _failures() as error:
            raise broken(self._weights.folder, f"cannot be read ({error})") from error
        self._session: Any = session
        self._pool = ThreadPoolExecutor(self._threads, "quire-embedding")
        self._lock = threading.Lock()

    @property
    def identity(self) -> Identity:
        return self._weights.identity

    @property
    def max_tokens(self) -> int:
        return self._weights.max_tokens

    def close(self) -> None:
        with self._lock:
            self._session = None
        self._pool.shutdown()

    def _vectors(self, texts: Sequence[str], role: Role, progress: Progress) -> Vectors:
        import numpy as np

        with self._lock:
            session = self._session
        if session is None:
            raise EmbedderRefused("this embedder was closed", where=self.identity.key, remedy="Open another")
        vectors = np.empty((len(texts), self.identity.dimension), np.float32)
        if len(texts) == 1:  # a question does not wait for a thread
            self._run(session, self._batch(texts, role, [0], 0), vectors)
            progress(1)
            return vectors
        under_way: deque[tuple[Future[None], int]] = deque()
        done = 0
        try:
            for batch in self._batches(texts, role):
                if len(under_way) > 2 * self._threads:
                    done += _finished(under_way)
                    progress(done)
                under_way.append((self._pool.submit(self._run, session, batch, vectors), len(batch)))
            while under_way:
                done += _finished(under_way)
                progress(done)
        finally:  # after an error nobody waits for the rest
            for future, _ in under_way:
                future.cancel()
        return vectors

    def _batches(self, texts: Sequence[str], role: Role) -> Iterator[list[tuple[int, list[int]]]]:
        """The tokens of all texts with their places, those of one length together, the longest of a window first."""
        for start in range(0, len(texts), _WINDOW):
            window = self._batch(texts[start : start + _WINDOW], role, None, start)
            window.sort(key=lambda one: -len(one[1]))
            while window:
                count = max(1, _BATCH_TOKENS // len(window[0][1]))
                yield window[:count]
                del window[:count]

    def _batch(
        self, texts: Sequence[str], role: Role, places: list[int] | None, start: int
    ) -> list[tuple[int, list[int]]]:
        encode, prefix, limit = self._words.encode, PREFIXES[role], self.max_tokens
        return [(start + at, encode(prefix + text, limit)) for at, text in enumerate(texts)]

    def _run(self, session: Any, batch: list[tuple[int, list[int]]], vectors: Vectors) -> None:
        """The vectors of a batch, each put in its place."""
        ids, mask = padded([tokens for _, tokens in batch])
        try:
            found = session.run(None, {"ids": ids, "mask": mask})[0]
        except _failures() as error:
            raise EmbedderUnavailable(
                f"onnxruntime could not run the model on {len(batch)} texts ({error})",
                where=self.identity.key,
                remedy="Try again with more free memory; if it stays, install quire[embed] again",
            ) from error
        vectors[[place for place, _ in batch]] = found


def _cores() -> int:
    """How many cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _failures() -> tuple[type[Exception], ...]:
    """What reading and running a model raises; the classes of onnxruntime have no common one of their own."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    names = ("Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "NoSuchFile", "RuntimeException")
    return (OSError, ValueError, *(getattr(state, name) for name in names))


def padded(batch: list[list[int]]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The tokens of texts as one table, and which of them count."""
    import numpy as np

    ids = np.zeros((len(batch), max(map(len, batch))), np.int32)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return ids, mask


def _finished(under_way: deque[tuple[Future[None], int]]) -> int:
    """Wait for the oldest batch; how many texts it had. What it raised is raised."""
    future, count = under_way.popleft()
    future.result()
    return count
