"""The examples in the docstrings run."""

import doctest
from importlib import import_module

import pytest

MODULES = (
    "engine.findings",
    "engine.parsing",
    "engine.ruleset",
    "engine.referee",
    "engine.althera.actions",
    "engine.althera.cards",
    "engine.althera.field",
    "engine.althera.state",
)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0
