"""`crowntable ask`: the rules' answer on the command line."""

from __future__ import annotations

import argparse
import json
import textwrap

from engine.games import games

DESCRIPTION = """\
Asks the rulebook. The answer is the rule's own words with its id, best first; where the rulebook does not
say, that is the answer. English and Italian; typing errors and everyday words are understood. Several
questions given as separate arguments in quotes are one conversation: the later may follow on the earlier.
At the command line no match is running; at the table's page /ask the same question is judged as well."""
EPILOG = """\
examples:
  crowntable ask can I run away
  crowntable ask --game althera "can I play overtake?" "and if I own the field?"
  crowntable ask --json quanto vale un 4 sul dado"""


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = sub.add_parser(
        "ask",
        help="ask the rulebook a question",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "question", nargs="+", type=_words, metavar="QUESTION", help="words of a question, or questions"
    )
    parser.add_argument("--game", choices=sorted(games()), help="which game's rulebook (default: both)")
    parser.add_argument("--lang", choices=("en", "it"), help="the question's language (default: found out)")
    parser.add_argument("--json", action="store_true", help="one JSON document a question")
    parser.set_defaults(run=run)


def _words(text: str) -> str:
    """An argument that says something; nothing but spaces is wrong usage and no question."""
    if not text.strip():
        raise argparse.ArgumentTypeError("an empty question can't be answered")
    return text


def run(args: argparse.Namespace) -> int:
    """Answers the question or, where several came in quotes, each in turn. Always 0: a rulebook that
    does not say has answered."""
    from engine.ask.answer import ask

    asked = conversation(args.question)
    for number, question in enumerate(asked):
        reply = ask(question, game=args.game, language=args.lang, history=asked[:number])
        if args.json:
            print(json.dumps(reply.to_json(), ensure_ascii=False))
            continue
        if len(asked) > 1:
            print(f"> {question}")
        print("\n".join(_lines(reply.to_json())), flush=True)
    return 0


def conversation(words: list[str]) -> list[str]:
    """One question of bare words, or several where at least one argument has a space in it.

    >>> conversation(["can", "I", "flee"]), conversation(["can I flee?", "why?"])
    (['can I flee'], ['can I flee?', 'why?'])
    """
    return words if any(" " in word for word in words) else [" ".join(words)]


def _lines(reply: dict[str, object]) -> list[str]:
    lines = []
    if reply["text"]:
        lines += [str(reply["text"]), ""]
    answers = reply["answers"]
    assert isinstance(answers, list)
    for number, answer in enumerate(answers):
        lines.append(f"{answer['rule']}  {answer['title']}")
        if number == 0:
            lines += textwrap.wrap(answer["quote"], 88, initial_indent="  ", subsequent_indent="  ")
            for ruling in answer["rulings"]:
                text = f"{ruling['question']} {ruling['says']}"
                lines += textwrap.wrap(text, 88, initial_indent="  - ", subsequent_indent="    ")
    return lines
