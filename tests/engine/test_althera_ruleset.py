"""Rulesets: files, changes, and errors that name the key, the value and what is allowed."""

import re
import tomllib
from importlib import resources

import pytest

from engine.althera import GAME
from engine.althera.cards import HOUSES, is_special, parse_card
from engine.althera.rulebook import FINDINGS, RULES
from engine.althera.ruleset import KEYS, Ruleset
from engine.errors import CrowntableError
from tests.shared_data import SHARED


def test_the_shipped_file_has_every_key_and_nothing_else() -> None:
    text = resources.files("engine.althera").joinpath("rulesets/v2.toml").read_text("utf-8")
    assert list(tomllib.loads(text)) == list(KEYS)
    assert GAME.ruleset_json(GAME.ruleset(text)) == GAME.ruleset_json(GAME.ruleset())


def test_a_house_deck_has_24_cards_and_the_table_55_faces() -> None:
    rules = GAME.ruleset()
    assert isinstance(rules, Ruleset)
    for house in HOUSES:
        cards = rules.deck(house)
        assert len(cards) == 24
        assert sum(card.special for card in cards) == 6
    assert len({(card.house, card.kind) for card in rules.cards.values()}) == 55


def test_a_partial_file_and_changes_on_top() -> None:
    text = 'name = "mine"\nturns = [4]\n[score]\nchampion = { value = 70 }\n'
    rules = GAME.ruleset(text, {"initiative": "leader", "score.captain.copies": "1", "turns": "[6, 4]"})
    obj = GAME.ruleset_json(rules)
    assert (obj["name"], obj["initiative"], obj["turns"]) == ("mine", "leader", [4, 6])
    assert obj["score"]["champion"] == {"value": 70, "copies": 1}
    assert obj["score"]["captain"] == {"value": 37, "copies": 1}
    assert GAME.ruleset_from_json(obj) == rules


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"initiative": "left"}, 'initiative = "left" is not possible; allowed: "fixed", "clockwise"'),
        ({"shield": "whole"}, 'there is no key "shield"'),
        ({"plays": "3.5"}, "plays = 3.5 is not possible; allowed: a whole number from 1 to 20"),
        ({"plays": "true"}, "plays = true is not possible"),
        ({"plays": "4"}, "min_hand = 3 is not possible; allowed: plays (4) or more"),
        ({"min_hand": "6"}, "hand_size = 5 is not possible; allowed: min_hand (6) or more"),
        ({"hand_size": "3"}, "hand_size = 3 is not possible; allowed: more than plays (3)"),
        ({"die_scale": "[2, 5, 9, 15, 23]"}, "die_scale = [2, 5, 9, 15, 23] is not possible; face 6 is"),
        ({"die_scale": "[1,2,3,4,5,6,7]"}, "a die has six faces"),
        ({"retreat_faces": "[5, 7]"}, "retreat_faces = [5, 7] is not possible; allowed: a list of 0 to 6"),
        ({"retreat_faces": "[5, 5]"}, "different whole numbers from 1 to 6"),
        ({"turns": "[]"}, "turns = [] is not possible"),
        ({"score.champion": "61"}, "score.champion = 61 is not possible; allowed: a table"),
        ({"score.champion.worth": "61"}, 'there is no key "score.champion.worth"'),
        ({"score.champion.value": "0"}, "score.champion.value = 0 is not possible"),
        ({"specials.shield": "-1"}, "specials.shield = -1 is not possible"),
        ({"initiative.x": "1", "closing_card": "optional"}, "initiative = an object is not possible"),
        ({"hand_size": "30"}, "allowed: at most the 24 cards of a house deck"),
        ({"name": '""'}, 'name = "" is not possible'),
        ({"unmatched_elimination": "nobody"}, 'allowed: "enemy"'),
    ],
)
def test_a_wrong_ruleset_is_refused(changes: dict[str, str], said: str) -> None:
    with pytest.raises(CrowntableError) as caught:
        GAME.ruleset(None, changes)
    assert said in caught.value.what
    assert caught.value.cure


def test_broken_toml_names_its_line() -> None:
    with pytest.raises(CrowntableError, match="line 3"):
        GAME.ruleset("plays = 3\nturns = [3, 5\n= 1")


def test_decks_without_score_cards_are_refused() -> None:
    score = {f"score.{kind}.copies": "0" for kind in GAME.ruleset_json(GAME.ruleset())["score"]}
    with pytest.raises(CrowntableError, match="at least one score card"):
        GAME.ruleset(None, score)


def test_die_values_and_card_values_are_those_of_the_ruleset() -> None:
    rules = GAME.ruleset(None, {"score.captain.value": "40", "specials.oracle": "3"})
    assert rules.cards["aurea/captain/2"].value == 40
    assert "aurea/oracle/3" in rules.cards


def test_card_ids() -> None:
    card = parse_card("purpurea/champion/1")
    assert card is not None and card.name == "Champion Opheya"
    assert is_special("aurea/shield/1")
    for text in ("aurea/shield", "aurea/shield/0", "aurea/shield/01", "x/shield/1", "aurea/x/1", ""):
        assert parse_card(text) is None
        assert not is_special(text)


def test_the_findings_are_the_contracts_in_its_order() -> None:
    text = (SHARED / "contracts" / "referee.md").read_text("utf-8")
    section = text.partition("## Althera: finding codes")[2].partition("## Anthem")[0]
    listed = re.findall(r"`([a-z]+(?:-[a-z]+)+)`", section)
    assert list(GAME.findings) == list(dict.fromkeys(listed))


def test_every_rule_id_of_the_text_has_its_line_and_no_other() -> None:
    text = (SHARED / "rules" / "althera.md").read_text("utf-8")
    assert list(GAME.rules) == re.findall(r"^\| (ALT-[0-9.]+) \|", text, re.MULTILINE)
    assert all(kind.rule in RULES or not kind.rule for kind in FINDINGS.values())
