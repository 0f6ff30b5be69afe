"""The local model, both ways to run it, on the weights that the package brings."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quire.backends.embedding.local import LocalEmbedder
from quire.backends.embedding.quick import QuickEmbedder
from quire.backends.embedding.weights import Weights, installed
from quire.errors import EmbedderRefused, EmbedderUnavailable
from quire.ports.embedder import Embedder
from quire.testing.embedder import HARD_TEXTS, PLAIN_TEXTS, EmbedderTests

QUESTIONS = [
    "Why does compilation break without a warm cache?",
    "When do I have to look after my flowers?",
    "Which directories are synchronised by other programs?",
    "Where does she live now?",
    "Is it allowed to overwrite the history of main?",
]


class TestLocalEmbedder(EmbedderTests):
    many = 1_000
    elsewhere = "from quire.backends.embedding.local import LocalEmbedder; LocalEmbedder()"

    @pytest.fixture
    def embedder(self, local: LocalEmbedder, request: pytest.FixtureRequest) -> Embedder:
        return LocalEmbedder() if "closes" in request.node.name else local


class TestQuickEmbedder(EmbedderTests):
    many = 20
    elsewhere = "from quire.backends.embedding.quick import QuickEmbedder; QuickEmbedder()"

    @pytest.fixture
    def embedder(self) -> Embedder:
        return QuickEmbedder()


def test_a_question_finds_what_answers_it_in_other_words(local: LocalEmbedder) -> None:
    near = local.embed(QUESTIONS, role="query") @ local.embed(PLAIN_TEXTS, role="passage").T
    assert near.argmax(1).tolist() == [0, 1, 2, 3, 4]


def test_a_question_and_an_answer_of_the_same_words_differ(local: LocalEmbedder) -> None:
    [asked], [said] = (local.embed(PLAIN_TEXTS[:1], role=role) for role in ("query", "passage"))
    assert asked @ said < 0.999


def test_without_onnxruntime_the_vectors_are_nearly_the_same(local: LocalEmbedder) -> None:
    texts = [*PLAIN_TEXTS, *QUESTIONS, *HARD_TEXTS]
    quick = QuickEmbedder()
    assert quick.identity == local.identity
    near = (quick.embed(texts, role="query") * local.embed(texts, role="query")).sum(1)
    assert near.min() > 0.997


def test_a_text_is_read_up_to_its_limit_and_no_further(local: LocalEmbedder) -> None:
    full, longer, other = local.embed(["cat " * 509, "cat " * 5000 + "dog", "dog " + "cat " * 508], role="passage")
    assert full.tobytes() == longer.tobytes()
    assert full.tobytes() != other.tobytes()


def test_threads_do_not_change_the_vectors(local: LocalEmbedder) -> None:
    texts = [f"{text} {number}" for number in range(40) for text in PLAIN_TEXTS]
    with LocalEmbedder(threads=1) as alone:
        assert alone.embed(texts, role="passage").tobytes() == local.embed(texts, role="passage").tobytes()


def test_one_that_was_closed_says_so() -> None:
    embedder = LocalEmbedder(threads=1)
    embedder.close()
    with pytest.raises(EmbedderRefused, match="closed"):
        embedder.embed(["a"], role="query")


def test_stops_where_whoever_is_told_of_progress_raises(local: LocalEmbedder) -> None:
    def stop(_: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        local.embed(PLAIN_TEXTS * 200, role="passage", progress=stop)
    assert local.embed(["still here"], role="query").shape == (1, 384)


@pytest.fixture
def copied(tmp_path: Path) -> Weights:
    weights = installed()
    for path in (weights.model, weights.constants, weights.vocabulary):
        shutil.copy(path, tmp_path)
    return replace(weights, folder=str(tmp_path))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:500])


def garble(path: Path) -> None:
    path.write_bytes(b"{" + bytes(range(256)))


@pytest.mark.parametrize("make", [LocalEmbedder, QuickEmbedder])
@pytest.mark.parametrize("damage", [cut, garble, Path.unlink])
@pytest.mark.parametrize("name", ["model.onnx", "vocab.txt"])
def test_damaged_weights_are_named(
    copied: Weights, make: Callable[[Weights], Embedder], damage: Callable[[Path], None], name: str
) -> None:
    damage(Path(copied.folder, name))
    with pytest.raises(EmbedderUnavailable, match="damaged") as caught:
        make(copied)
    assert copied.folder in caught.value.where
    assert "reinstall" in caught.value.remedy


def test_a_package_with_a_file_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("quire_e5_small.FOLDER", str(tmp_path))
    with pytest.raises(EmbedderUnavailable, match="missing"):
        installed()


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "quire_e5_small", None)
    with pytest.raises(EmbedderUnavailable, match="pip install quire-e5-small"):
        installed()


def test_the_quick_way_loads_numpy_and_no_runtime() -> None:
    program = """if True:
        import sys
        from quire.backends.embedding.quick import QuickEmbedder
        assert "numpy" not in sys.modules
        QuickEmbedder().embed(["a question"], role="query")
        assert "numpy" in sys.modules
        print(*{"onnxruntime", "asyncio", "ssl", "http", "email"} & set(sys.modules))"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_working_memory_does_not_grow_with_the_texts() -> None:
    program = """if True:
        import resource
        from quire.backends.embedding.local import LocalEmbedder
        embedder = LocalEmbedder(threads=2)
        def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        embedder.embed(["word " * 600] * 16, role="passage")
        before = peak()
        embedder.embed(["word " * 600] * 48 + [f"note {n}" for n in range(300)], role="passage")
        print((peak() - before) // 1024)"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 150  # MB; three times as many texts at once would take 600 more


def test_vectors_are_of_unit_length_to_the_last_bit_that_matters(local: LocalEmbedder) -> None:
    lengths = np.linalg.norm(local.embed(PLAIN_TEXTS, role="passage").astype(np.float64), axis=1)
    assert np.abs(lengths - 1).max() < 1e-6
