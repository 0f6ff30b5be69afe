"""The exam of an embedder, and one for tests that needs no model.

    class TestMine(EmbedderTests):
        @pytest.fixture
        def embedder(self):
            return MyEmbedder()

Needs the `testing` and `embed` extras.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tracemalloc
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import pytest

from quire.ports.embedder import Embedder, Identity, Progress, Role

if TYPE_CHECKING:
    from quire.ports.embedder import Vectors

HARD_TEXTS = [
    "", " ", "\n\t\r\n", ".", "\x00", "\x07\x1b[0m", "�", "\ud800", "a" * 5_000, "word " * 20_000, "汉字" * 3_000,
    "naïve café", unicodedata.normalize("NFD", "naïve café"), "日本語とカタカナ", "한국어", "ไทย", "שלום עולם", "مرحبا",
    "👩‍👩‍👧‍👦🏳️‍🌈", "\u202eright to left", "\u200b\u200d\ufeff", "𝔉𝔯𝔞𝔨𝔱𝔲𝔯", "Z̷̧͇a̶l̴g̵o̷", "'; DROP TABLE vectors; --",
]  # fmt: skip
PLAIN_TEXTS = [
    "The build fails when the cache is cold",
    "Remember to water the plants on Friday",
    "A vault is a folder that something else syncs",
    "She moved to Lisbon in the spring",
    "Never force a push to the main branch",
]


class DeterministicEmbedder(Embedder):
    """For tests, and says so: vectors from the hashes of words. Texts that share words are near, and nothing else is.

    The same in every process and on every machine; no model, no file, no network.
    """

    def __init__(self, dimension: int = 64) -> None:
        self._identity = Identity("deterministic-for-tests", "1", dimension)

    @property
    def identity(self) -> Identity:
        return self._identity

    @property
    def max_tokens(self) -> int:
        return 512

    def _vectors(self, texts: Sequence[str], role: Role, progress: Progress) -> Vectors:
        import numpy as np

        vectors = np.empty((len(texts), self._identity.dimension), np.float32)
        for at, text in enumerate(texts):
            vectors[at] = sum(map(self._of_word, text.casefold().split()[: self.max_tokens]), self._of_word(""))
            progress(at + 1)
        return vectors

    def _of_word(self, word: str) -> Vectors:
        import numpy as np

        raw = hashlib.shake_256(word.encode("utf-8", "surrogatepass")).digest(self._identity.dimension)
        return np.frombuffer(raw, np.uint8).astype(np.float32) - np.float32(127.5)


class EmbedderTests:
    """What any embedder promises. Give an `embedder` fixture and it is all asked of yours."""

    many: ClassVar[int] = 10_000  # texts in one call
    memory: ClassVar[int] = 64 * 1024 * 1024  # bytes that Python may hold beyond the vectors, for so many
    elsewhere: ClassVar[str] = ""  # an expression, with its imports before it, for the embedder in another process

    @pytest.fixture
    def embedder(self) -> Embedder:
        """An open embedder. Override."""
        raise NotImplementedError("give this class a fixture named 'embedder'")

    @pytest.mark.parametrize("role", ["passage", "query"])
    def test_gives_one_vector_of_unit_length_for_each_text(self, embedder: Embedder, role: Role) -> None:
        import numpy as np

        vectors = embedder.embed(PLAIN_TEXTS, role=role)
        assert vectors.shape == (len(PLAIN_TEXTS), embedder.identity.dimension)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)

    def test_says_which_model_it_is(self, embedder: Embedder) -> None:
        identity = embedder.identity
        assert identity.name
        assert identity.dimension > 0
        assert identity.key == Identity(identity.name, identity.version, identity.dimension).key
        assert identity.key.isprintable()
        assert embedder.max_tokens > 0

    def test_no_texts_have_no_vectors(self, embedder: Embedder) -> None:
        assert embedder.embed([], role="passage").shape == (0, embedder.identity.dimension)

    def test_refuses_what_is_no_list_and_a_role_that_is_none(self, embedder: Embedder) -> None:
        with pytest.raises(ValueError, match="list of texts"):
            embedder.embed("a text", role="query")
        with pytest.raises(ValueError, match="role"):
            embedder.embed(["a text"], role="answer")  # type: ignore[arg-type]

    @pytest.mark.parametrize("role", ["passage", "query"])
    def test_the_same_text_has_the_same_vector_bit_for_bit(self, embedder: Embedder, role: Role) -> None:
        first, again = (embedder.embed(PLAIN_TEXTS, role=role).tobytes() for _ in range(2))
        assert first == again
        alone, once_more = (embedder.embed(PLAIN_TEXTS[:1], role=role).tobytes() for _ in range(2))
        assert alone == once_more

    def test_the_texts_beside_it_do_not_move_a_vector(self, embedder: Embedder) -> None:
        alone = [embedder.embed([text], role="passage")[0] for text in PLAIN_TEXTS]
        together = embedder.embed([*PLAIN_TEXTS, *HARD_TEXTS], role="passage")
        turned = embedder.embed([*HARD_TEXTS, *PLAIN_TEXTS[::-1]], role="passage")[::-1]
        for one, second, third in zip(alone, together, turned, strict=False):
            assert one @ second > 0.999
            assert one @ third > 0.999

    def test_keeps_the_order(self, embedder: Embedder) -> None:
        texts = [f"{text} {'very ' * (7 * number % 23)}often" for number in range(12) for text in PLAIN_TEXTS]
        vectors = embedder.embed(texts, role="passage")
        for place in (0, 1, 17, 42, len(texts) - 1):
            alone = embedder.embed([texts[place]], role="passage")[0]
            assert alone @ vectors[place] > 0.999
            assert int((vectors @ alone).argmax()) == place

    def test_different_texts_have_different_vectors(self, embedder: Embedder) -> None:
        vectors = embedder.embed(PLAIN_TEXTS, role="passage")
        near = vectors @ vectors.T
        assert all(near[row, column] < 0.999 for row in range(len(near)) for column in range(row))

    @pytest.mark.parametrize("text", HARD_TEXTS, ids=[ascii(text[:12]) for text in HARD_TEXTS])
    @pytest.mark.parametrize("role", ["passage", "query"])
    def test_any_text_has_a_vector(self, embedder: Embedder, text: str, role: Role) -> None:
        import numpy as np

        [vector] = embedder.embed([text], role=role)
        assert np.isfinite(vector).all()
        assert abs(float(np.linalg.norm(vector)) - 1) < 1e-5

    def test_takes_many_texts_in_bounded_memory(self, embedder: Embedder) -> None:
        import numpy as np

        texts = [f"note {number} {'more ' * (number % 5)}" for number in range(self.many)]
        embedder.embed(texts[:200], role="passage")
        tracemalloc.start()
        try:
            vectors = embedder.embed(texts, role="passage")
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        assert peak < 4 * vectors.nbytes + self.memory
        for place in (0, self.many // 2, self.many - 1):
            assert embedder.embed([texts[place]], role="passage")[0] @ vectors[place] > 0.999

    def test_tells_of_progress(self, embedder: Embedder) -> None:
        told: list[int] = []
        texts = PLAIN_TEXTS * 5
        embedder.embed(texts, role="passage", progress=told.append)
        assert told == sorted(told)
        assert told[-1] == len(texts)

    def test_closes_twice(self, embedder: Embedder) -> None:
        embedder.embed(PLAIN_TEXTS, role="query")
        embedder.close()
        embedder.close()

    def test_is_the_same_model_in_another_process(self, embedder: Embedder) -> None:
        if self.elsewhere:
            imports, _, expression = self.elsewhere.rpartition(";")
            program = f"{imports}\nembedder = {expression}\nvector = embedder.embed([{PLAIN_TEXTS[0]!r}], role='query')"
            program += "\nprint(embedder.identity.key)\nprint(*vector[0].tolist())"
            command = [sys.executable, "-c", program]
            done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
            key, _, numbers = done.stdout.strip().partition("\n")
            assert key == embedder.identity.key
            vector = embedder.embed(PLAIN_TEXTS[:1], role="query")[0].tolist()
            assert sum(float(a) * b for a, b in zip(numbers.split(), vector, strict=True)) > 0.999
        assert embedder.identity == embedder.identity
