"""The examples in the docstrings of records, lab and registry run."""

import doctest
from importlib import import_module

import pytest

MODULES = (
    "engine.lab.hands",
    "engine.lab.measures",
    "engine.lab.simulate",
    "engine.records.files",
)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.failed == 0 and result.attempted > 0
