"""The package of the weights, and what makes it: nothing but the pinned bytes gets in."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from importlib.machinery import SourceFileLoader
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
import quire_e5_small
from hypothesis import given
from hypothesis import strategies as st

from quire.backends.embedding.weights import installed

ROOT = Path(__file__).parents[3]
HOME = ROOT / "packages" / "quire-e5-small"


def loaded(name: str, path: Path) -> ModuleType:
    loader = SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    try:
        loader.exec_module(module)
    finally:
        sys.path[:] = before
    return module


protobuf = loaded("quire_weights_protobuf", HOME / "making" / "protobuf.py")


@pytest.mark.parametrize("name", quire_e5_small.FILES)
def test_each_installed_file_is_the_pinned_one(name: str) -> None:
    content = Path(quire_e5_small.FOLDER, name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == quire_e5_small.FILES[name]


def test_the_licences_travel_with_the_weights() -> None:
    licences = {path.name: path.read_text() for path in Path(quire_e5_small.FOLDER, "licenses").iterdir()}
    assert "Permission is hereby granted" in licences["MIT.txt"]
    assert "Apache License" in licences["Apache-2.0.txt"]


def test_the_identity_is_that_of_the_package() -> None:
    assert installed().identity.key == "e5-small@1-int8/384"


def test_each_constant_lies_where_it_is_said_to() -> None:
    size = Path(installed().model).stat().st_size
    bytes_of = {"int8": 1, "uint8": 1, "float32": 4, "int64": 8}
    taken = []
    for offset, kind, shape in json.loads(Path(installed().constants).read_text()).values():
        count = 1
        for each in shape:
            count *= each
        taken.append((offset, offset + count * bytes_of[kind]))
    taken.sort()
    assert all(end <= start for (_, end), (start, _) in pairwise(taken))
    assert taken[-1][1] <= size
    assert sum(end - start for start, end in taken) > 0.99 * size


def test_what_has_another_hash_is_never_put_in_its_place(tmp_path: Path) -> None:
    weights = loaded("quire_weights_script", ROOT / "scripts" / "weights")
    (tmp_path / "model.onnx").write_bytes(b"somebody else's")
    with pytest.raises(SystemExit, match="is pinned"):
        weights.check(tmp_path / "model.onnx", quire_e5_small.FILES["model.onnx"])
    assert not weights.is_right(tmp_path, quire_e5_small.FILES)
    assert weights.is_right(Path(quire_e5_small.FOLDER), quire_e5_small.FILES)


@given(st.lists(st.tuples(st.integers(1, 5000), st.integers(0, 2**64 - 1) | st.binary(max_size=300)), max_size=8))
def test_a_message_is_read_as_it_was_written(fields: list[tuple[int, int | bytes]]) -> None:
    raw = b"".join(
        (protobuf.number if isinstance(held, int) else protobuf.block)(field, held) for field, held in fields
    )
    found = [(field, held if isinstance(held, int) else bytes(held)) for field, held in protobuf.read(memoryview(raw))]
    assert found == fields


@given(st.binary(max_size=60))
def test_what_is_no_message_is_refused_or_read_and_nothing_else(raw: bytes) -> None:
    try:
        fields = list(protobuf.read(memoryview(raw)))
    except ValueError as error:
        assert "byte" in str(error)
    else:
        assert all(isinstance(field, int) for field, _ in fields)
