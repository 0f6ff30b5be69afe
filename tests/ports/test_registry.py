from __future__ import annotations

import subprocess
import sys

import pytest

import quire
from quire.backends.ram import RamBackend
from quire.errors import ProtocolError
from quire.ports.registry import BackendRegistry
from quire.ports.storage import StorageBackend


class Other(RamBackend):
    """Another concrete backend."""


def test_a_miss_is_absence_and_no_error() -> None:
    registry = BackendRegistry()
    assert registry.get("git") is None
    assert "git" not in registry
    assert registry.protocols() == ()


def test_holds_classes_by_name() -> None:
    registry = BackendRegistry()
    registry.register("b", RamBackend)
    registry.register("a", Other)
    assert registry.get("b") is RamBackend
    assert "a" in registry
    assert registry.protocols() == ("a", "b")


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_backend_needs_a_name(name: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        BackendRegistry().register(name, RamBackend)
    assert isinstance(caught.value, ValueError)


def test_a_second_backend_of_one_name_is_refused_unless_asked_for() -> None:
    registry = BackendRegistry()
    registry.register("a", RamBackend)
    with pytest.raises(ProtocolError):
        registry.register("a", Other)
    assert registry.get("a") is RamBackend
    registry.register("a", Other, clobber=True)
    assert registry.get("a") is Other


@pytest.mark.parametrize("wrong", [RamBackend(), StorageBackend, object, "quire.backends.ram:RamBackend", None])
def test_only_a_concrete_backend_class_registers(wrong: type[StorageBackend]) -> None:
    registry = BackendRegistry()
    with pytest.raises(TypeError):
        registry.register("a", wrong)
    assert "a" not in registry


def test_an_incomplete_backend_hears_what_it_lacks() -> None:
    class Half(StorageBackend):
        pass

    with pytest.raises(TypeError, match="capabilities, delete, info, list, read_bytes, write_bytes"):
        BackendRegistry().register("half", Half)  # type: ignore[type-abstract]


def test_registries_share_nothing() -> None:
    one, other = BackendRegistry(), BackendRegistry()
    one.register("a", RamBackend)
    assert "a" not in other


def test_the_default_registry_knows_our_backends_and_loads_them_when_asked() -> None:
    assert set(quire.registry.protocols()) >= {"ram", "device-local", "vault", "s3", "postgres"}
    script = (
        "import sys, quire\n"
        "assert 'vault' in quire.registry and 'quire.backends.vault' not in sys.modules\n"
        "assert issubclass(quire.registry.get('vault'), quire.StorageBackend)\n"
        "assert 'quire.backends.s3' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_lazy_name_can_be_clobbered_but_not_taken() -> None:
    registry = BackendRegistry({"a": "quire.backends.ram:RamBackend"})
    with pytest.raises(ProtocolError):
        registry.register("a", Other)
    registry.register("a", Other, clobber=True)
    assert registry.get("a") is Other
