"""The catalogue: complete in every language, nothing missing, nothing left over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.errors import CrowntableError
from web.catalogue import FOLDER, choose, languages, read, texts

WEB = FOLDER.parent
ENGLISH = read(FOLDER / "en.toml")
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in (WEB / "static" / "js").glob("*.js")}
TEMPLATES = {path.name: path.read_text(encoding="utf-8") for path in (WEB / "templates").glob("*.html")}


@pytest.mark.parametrize("language", [one for one in languages() if one != "en"])
def test_every_language_is_whole(language: str) -> None:
    other = read(FOLDER / f"{language}.toml")
    assert set(other) == set(ENGLISH)
    for key, text in ENGLISH.items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", other[key])), key
        assert other[key].strip() == other[key] != ""


#: One thing has one word in all of the Italian, the rulebook's where it has one. Left: what may not stand.
ANOTHER_WORD = {
    r"zon[ae]": "casella",
    r"layout": "disposizione",
    r"iscri\w+": "registrare (un tag)",
    r"calibra\w*": "taratura",
    r"verbal[ei]": "referto",
    r"(su|n)ell?a riga": "fila (le righe sono di un file)",
    r"riga (di \{|completa)": "fila",
    r"gli speciali|uno speciale": "le speciali, una speciale",
    r"mano \{\} di": "round (la mano sono le carte)",
    r"troppa poca": "troppo poca",
}


@pytest.mark.parametrize("name", ["it.toml", "table/it.toml"])
def test_one_thing_has_one_italian_word(name: str) -> None:
    for key, text in read(FOLDER / name).items():
        spoken = re.sub(r"crowntable \w+ \w+", "", re.sub(r"\{\w+\}", "{}", text))
        for pattern, better in ANOTHER_WORD.items():
            found = re.search(rf"\b(?:{pattern})", spoken, re.I)
            assert not found, f"{key}: {found[0] if found else ''}; here it is {better}"


def test_scripts_use_only_texts_that_exist() -> None:
    used = {key for text in SCRIPTS.values() for key in re.findall(r"\bt\(\"([a-z_.-]+)\"", text)} | {
        f"{key}.many" for text in SCRIPTS.values() for key in re.findall(r"\btn\(\"([a-z_.-]+)\"", text)
    }
    used -= {key for key in used if key.endswith(".")}  # the rest of the name is worked out
    assert len(used) > 100
    assert used - set(ENGLISH) == set()


def test_templates_use_only_texts_that_exist() -> None:
    used = {key for text in TEMPLATES.values() for key in re.findall(r"\bt\(['\"]([a-z_.]+)['\"]\)", text)}
    assert len(used) > 20
    assert not used - set(ENGLISH)


def test_no_text_is_left_over() -> None:
    """A key must be named somewhere: whole, or by its beginning where the rest is worked out."""
    sources = "\n".join([*SCRIPTS.values(), *TEMPLATES.values(), *_python()])
    beginnings = tuple(re.findall(r"[`\"]([a-z_.]+[._])(?:\$?{|\" ~)", sources))
    assert len(beginnings) > 10
    for key in ENGLISH:
        stem = re.sub(r"\.(one|many)$", "", key)
        assert (
            f'"{key}"' in sources
            or f"'{key}'" in sources
            or f'"{stem}"' in sources
            or key.startswith(beginnings)
        ), key


def _python() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in WEB.rglob("*.py")]


def test_language_is_the_visitors_choice_then_the_browsers() -> None:
    assert choose("it", "en") == "it"
    assert choose(None, "fr-FR,it-IT;q=0.8,en;q=0.5") == "it"
    assert choose("xx", None) == "en"
    assert choose("../../etc/passwd", "*") == "en"
    assert texts("xx") == texts("en")


def test_damaged_texts_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "xx.toml").write_text("[a\n")
    with pytest.raises(CrowntableError, match=r"xx\.toml"):
        read(tmp_path / "xx.toml")
