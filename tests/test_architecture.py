"""The house rules, as tests: arrows, what a port may name, what importing may cost."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import quire
import quire.ports

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "quire"

# What must not be loaded by merely importing the package, and what no hook may ever load.
HEAVY = {"numpy", "pydantic", "mcp", "onnxruntime", "asyncpg", "obstore", "asyncio", "inspect", "dataclasses", "ssl"}


def test_arrows_point_down() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "ignore_imports" not in (ROOT / "pyproject.toml").read_text()


def test_nothing_but_a_test_imports_the_exams() -> None:
    for path in SOURCE.rglob("*.py"):
        if "testing" not in path.parts:
            assert not re.search(r"^\s*(from|import) quire.testing", path.read_text(), re.M), path


def signatures() -> list[tuple[str, typing.Any]]:
    found: list[tuple[str, typing.Any]] = []
    for module_info in pkgutil.walk_packages(quire.ports.__path__, "quire.ports."):
        module = importlib.import_module(module_info.name)
        for name, thing in vars(module).items():
            if getattr(thing, "__module__", "") != module.__name__:
                continue
            members = [(name, thing)] if inspect.isfunction(thing) else []
            if inspect.isclass(thing):
                members = [(f"{name}.{key}", member) for key, member in vars(thing).items()]
                found.append((f"{name} (fields)", thing))
            for label, member in members:
                function = member.fget if isinstance(member, property) else member
                if inspect.isfunction(function):
                    found.append((label, function))
    return found


def test_no_path_is_in_any_signature_of_a_port() -> None:
    seen = signatures()
    assert len(seen) > 40
    for label, thing in seen:
        for name, hint in getattr(thing, "__annotations__", {}).items():
            assert not re.search(r"\b\w*Path(Like)?\b", str(hint)), f"{label}: {name} is {hint}"


def test_ports_do_no_io() -> None:
    for path in (SOURCE / "ports").rglob("*.py"):
        assert not re.search(r"^\s*(?:import|from) (os|pathlib|shutil|socket|sqlite3|io)\b", path.read_text(), re.M), (
            path
        )


def test_public_names_are_listed_where_types_are_checked() -> None:
    text = (SOURCE / "__init__.py").read_text()
    checked = set(re.findall(r"\b[A-Za-z_]\w+", text.partition("if TYPE_CHECKING:")[2].partition("def ")[0]))
    assert set(quire.__all__) - {"__version__"} <= checked
    for name in quire.__all__:
        assert getattr(quire, name) is not None
    assert set(quire.__all__) <= set(dir(quire))
    with pytest.raises(AttributeError):
        _ = quire.no_such_name


def test_everything_public_says_what_it_is() -> None:
    for name in quire.__all__:
        thing = getattr(quire, name)
        if inspect.isclass(thing) and not issubclass(thing, BaseException):
            assert thing.__doc__, name
            for label, member in vars(thing).items():
                if inspect.isfunction(member) and not label.startswith("_"):
                    assert member.__doc__ or label == "get", f"{name}.{label}"


def loaded(statement: str) -> set[str]:
    script = f"import sys; before = set(sys.modules); {statement}; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not loaded("import quire") & HEAVY


def test_opening_a_folder_loads_no_other_technology() -> None:
    got = loaded("import tempfile, quire; quire.open_storage(root=tempfile.mkdtemp()).close()")
    assert not got & (HEAVY - {"inspect", "dataclasses"})


def test_no_exception_is_swallowed() -> None:
    for path in SOURCE.rglob("*.py"):
        assert not re.search(r"except (Exception|BaseException)?:?\s*\n\s*pass", path.read_text()), path
