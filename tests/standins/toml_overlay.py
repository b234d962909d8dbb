"""Changes settings in the text of a TOML file. Rule: all other bytes stay the same."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import TypeAlias

__all__ = ["TomlValue", "overlay", "toml_value"]

TomlValue: TypeAlias = "str | bool | int | float | Sequence[TomlValue] | Mapping[str, TomlValue]"

_HEADER = re.compile(r"^\s*\[{1,2}\s*([^\[\]]+?)\s*\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(r"""^(\s*)([A-Za-z0-9_-]+|"[^"]*"|'[^']*')(\s*=\s*)""")


def toml_value(value: TomlValue) -> str:
    """Return `value` as TOML on one line; strings have JSON's escapes, and one for DEL."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{toml_value(key)} = {toml_value(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    return f"[{', '.join(toml_value(item) for item in value)}]"


def overlay(text: str, settings: Mapping[str, TomlValue], table: str = "tabloop") -> str:
    """Return `text` with these settings in `[table]`; "payment.x" goes to `[table.payment]`.

    Comments stay. New keys are added at the end of their table, a new table at the end of the file.
    Raises `ValueError` if the text is not TOML, or the result would have other values than these.
    """
    expected = tomllib.loads(text)
    for path, value in settings.items():
        *parents, key = f"{table}.{path}".split(".")
        place = expected
        for parent in parents:
            place = place.setdefault(parent, {})
        place[key] = tomllib.loads(f"v = {toml_value(value)}")["v"]
        text = _replaced(text, ".".join(parents), key, toml_value(value))
    # the edit works on lines, so check the result for layouts that it does not support
    if not _is_toml(text) or tomllib.loads(text) != expected:
        raise ValueError(f"these settings cannot be laid over [{table}]: {', '.join(settings)}")
    return text


def _replaced(text: str, table: str, key: str, value: str) -> str:
    lines = text.splitlines(keepends=True)
    start, end = _extent(lines, table)
    if start is None:
        gap = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{gap}\n[{table}]\n{key} = {value}\n"
    for first in range(start, end):
        found = _KEY.match(lines[first])
        if found and found[2].strip("\"'") == key:
            last, comment = _value_end(lines, first, end)
            lines[first:last] = [f"{found[0]}{value}{comment}"]
            return "".join(lines)
    while end > start and not lines[end - 1].strip():
        end -= 1  # before the blank lines in front of the next table
    if end and not lines[end - 1].endswith("\n"):
        lines[end - 1] += "\n"
    lines.insert(end, f"{key} = {value}\n")
    return "".join(lines)


def _extent(lines: Sequence[str], table: str) -> tuple[int | None, int]:
    """Return the first line after the table's header and the line after its last."""
    start = None
    for number, line in enumerate(lines):
        header = _HEADER.match(line)
        if header is None:
            continue
        if start is not None:
            return start, number
        if header[1] == table:
            start = number + 1
    return start, len(lines)


def _value_end(lines: Sequence[str], first: int, end: int) -> tuple[int, str]:
    """Return the number of the line after a value, and the comment in the value's last line.

    The value ends with the first prefix that TOML's parser accepts.
    """
    for last in range(first + 1, end + 1):
        whole = "".join(lines[first:last])
        for end_of_value in [*(match.start() for match in re.finditer("#", whole)), len(whole)]:
            candidate = whole[:end_of_value]
            if _is_toml(candidate):
                return last, whole[len(candidate.rstrip()) :]
    raise ValueError(f"no value after: {lines[first].strip()}")


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True
