"""The examples in the docstrings say what happens."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import quire.markdown

MODULES = [module.name for module in pkgutil.iter_modules(quire.markdown.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name: str) -> None:
    module = importlib.import_module(f"quire.markdown.{name}")
    assert doctest.testmod(module).failed == 0
