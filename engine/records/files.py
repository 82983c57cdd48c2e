"""Records as files: JSON lines in a checksum chain, written whole or line by line, read with care."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from engine.errors import CrowntableError
from engine.game import Json
from engine.records.record import FORMAT, READ, Header, Line, Record, canonical
from engine.whole import write_whole

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


class RecordError(CrowntableError):
    """A file that is no sound record. `errors` is all that is wrong with it, as (line, what)."""

    def __init__(self, path: str, errors: list[tuple[int, str]]) -> None:
        some = "; ".join(f"line {line}: {what}" for line, what in errors[:3])
        more = f"; and {len(errors) - 3} more" if len(errors) > 3 else ""
        super().__init__(
            f"{path} is no sound match record: {some}{more}.",
            "Export the match again from its table, or take an earlier copy of the file.",
        )
        self.errors = tuple(errors)


class Writer:
    """Writes a record line by line into an open text file; every line is flushed. `end` closes it with a
    line that says how many actions there are, so that a file cut between two lines is known for one.

    >>> import io
    >>> from engine.records.record import Header, Line
    >>> out = io.StringIO()
    >>> writer = Writer(out, Header("althera", {}, "0" * 64, "0" * 64, ({"seat": 1},)))
    >>> writer.add(Line({"do": "undo"}, False, ("nothing-to-undo",)))
    >>> writer.end()
    >>> len(out.getvalue().splitlines())
    3
    """

    def __init__(self, file: TextIO, header: Header) -> None:
        self._file = file
        self._sum = ""
        self._count = 0
        self._put({"record": "crowntable", "format": FORMAT, **_given(header)})

    def add(self, line: Line) -> None:
        """Writes the next action."""
        self._count += 1
        self._put(
            {"n": self._count, "action": line.action, "ok": line.ok, "codes": line.codes, **_given(line)}
        )

    def end(self) -> None:
        """Writes the last line: there are no more actions. Nothing may be added after it."""
        self._put({"end": self._count})

    def _put(self, body: Json) -> None:
        self._sum = checksum(self._sum, body)
        self._file.write(_text({**body, "sum": self._sum}) + "\n")
        self._file.flush()


def checksum(before: str, body: Json) -> str:
    """The sum of a line (without its own `sum`) after a line whose sum is `before`."""
    return sha256((before + canonical(body)).encode()).hexdigest()


def write(record: Record, file: TextIO) -> None:
    """Writes a whole record into an open text file."""
    writer = Writer(file, record.header)
    for line in record.lines:
        writer.add(line)
    writer.end()


def save(record: Record, path: Path) -> None:
    """Writes a record so that the file is there whole or not at all. Raises CrowntableError."""
    text = io.StringIO()
    write(record, text)
    try:
        write_whole(path, text.getvalue())
    except OSError as error:
        raise CrowntableError(
            f"{path} could not be written: {error.strerror}.", "Choose another place, or make room there."
        ) from None


def read(path: Path) -> Record:
    """The record in a file. An incomplete last line is left out, and `Record.torn` says so; likewise
    that the end line is missing (format 1 had none: there a cut between two lines stays unseen).

    Raises RecordError with every other fault and its line, CrowntableError where there is no file.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CrowntableError(
            f"{path} could not be read: {error.strerror}.", "Give the path of a match record."
        ) from None
    return parse(data, str(path))


def parse(data: bytes, name: str = "The file") -> Record:
    """The record in these bytes; `name` is what errors call it. Raises RecordError."""
    whole = data.rstrip(b"\0")  # what a power cut leaves of a block that was never written
    *complete, tail = whole.split(b"\n")
    errors: list[tuple[int, str]] = []
    bodies: list[Json] = []
    before = ""
    for number, raw in enumerate(complete, 1):
        body, fault = _checked(raw, number, before, _ended(bodies))
        before = str(body.get("sum", "")) if body else ""
        bodies.append(body)
        errors += [(number, fault)] if fault else []
    torn = None
    if tail:
        body, fault = _checked(tail, len(complete) + 1, before, _ended(bodies))
        if fault:
            torn = f"Line {len(complete) + 1} was cut off ({len(tail)} bytes); it is left out."
        else:
            bodies.append(body)
    elif len(whole) < len(data):
        torn = f"The file ends in {len(data) - len(whole)} empty bytes; they are left out."
    if not bodies:
        errors.append((1, "there is no header"))
    if errors:
        raise RecordError(name, errors)
    if _ended(bodies):
        bodies.pop()
    elif bodies[0]["format"] > 1 and torn is None:
        torn = f"The end line is missing after action {len(bodies) - 1}: there may have been more."
    return Record(_header(bodies[0]), tuple(map(_line, bodies[1:])), torn)


def _ended(bodies: list[Json]) -> bool:
    """Whether the last of these lines is an end line."""
    return bool(bodies) and "end" in bodies[-1]


def _checked(raw: bytes, number: int, before: str, ended: bool) -> tuple[Json, str]:
    """A line's content, empty where it is none, and what is wrong with it, empty where nothing is."""
    if ended:
        return {}, "it comes after the end line"
    try:
        body = json.loads(raw, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return {}, "it is not JSON"
    if not isinstance(body, dict):
        return {}, "it is not a JSON object"
    if number == 1 and body.get("record") == "crowntable" and body.get("format") not in READ:
        known = " and ".join(map(str, READ))
        return body, f"its format is {body.get('format')!r}, and this program reads {known}"
    kind = "header" if number == 1 else "end" if "end" in body else "line"
    fault = next(_validator(kind).iter_errors(body), None)
    if fault is not None:
        where = ".".join(map(str, fault.absolute_path))
        said = fault.message if len(fault.message) < 100 else fault.message[:97] + "..."
        return body, f"{where}: {said}" if where else said
    if kind == "end" and body["end"] != number - 2:
        return body, f"it ends a record of {body['end']} actions, and there are {number - 2}"
    if kind == "line" and body["n"] != number - 1:
        return body, f"its number is {body['n']} instead of {number - 1}"
    if checksum(before, {key: value for key, value in body.items() if key != "sum"}) != body["sum"]:
        return body, "its checksum is wrong: it, or its place, is not as it was written"
    return body, ""


def _no_number(name: str) -> None:
    """NaN and the infinities, which JSON does not have."""
    raise ValueError(name)


@cache
def schema() -> Json:
    """The JSON Schema of a record's lines, as shipped."""
    text = resources.files("engine.records").joinpath("schema/record.schema.json").read_text("utf-8")
    loaded: Json = json.loads(text)
    return loaded


@cache
def _validator(kind: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": schema()["$defs"]})


def _given(part: Header | Line) -> Json:
    """The fields that are known, those of the schema's own order first."""
    return dict(_fields(part))


def _fields(part: Header | Line) -> Iterator[tuple[str, Any]]:
    for name in part.__dataclass_fields__:
        value = getattr(part, name)
        if value is not None and value != () and value is not False and name not in ("action", "ok", "codes"):
            yield name, list(value) if isinstance(value, tuple) else value


def _header(body: Json) -> Header:
    seats = tuple(body["seats"])
    return Header(**{k: v for k, v in body.items() if k not in _FRAME} | {"seats": seats})


def _line(body: Json) -> Line:
    fields = {k: v for k, v in body.items() if k not in _FRAME}
    return Line(**fields | {"codes": tuple(body["codes"]), "evidence": tuple(body.get("evidence", ()))})


_FRAME = ("record", "format", "n", "sum")


def _text(body: Json) -> str:
    """The line as text: names readable where UTF-8 can write them."""
    text = json.dumps(body, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, in a card id read from garbage
        return json.dumps(body)
    return text
