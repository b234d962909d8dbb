"""The strings of a third language, which the site's owner keeps in `owner/<language>.json`.

Rule: a string that is missing or cannot be filled is said in the page's own language instead.
"""

from collections.abc import Mapping
from string import Formatter
from typing import cast

from tabloop.ui.strings import Entry, Table

__all__ = ["overlaid"]

MONTHS = 12


def overlaid(table: Table, own: object) -> tuple[Table, list[str]]:
    """Return the table with the owner's strings in it, and the keys that are not theirs."""
    sections = _mapping(own)
    missing: list[str] = []
    merged: dict[str, Mapping[str, Entry]] = {}
    for section, entries in table.items():
        given = _mapping(sections.get(section))
        fitting = {
            name: cast("Entry", given[name])
            for name, entry in entries.items()
            if _fits(entry, given.get(name))
        }
        missing += [f"{section}.{name}" for name in entries if name not in fitting]
        merged[section] = {**entries, **fitting}
    return merged, missing


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value if isinstance(value, dict) else {})


def _fits(entry: Entry, own: object) -> bool:
    """Whether the text can take the entry's place: with the same forms, and no other blanks."""
    if isinstance(entry, str):
        lists_months = entry.count(",") == MONTHS - 1
        return _fillable(entry, own) and not (lists_months and str(own).count(",") != MONTHS - 1)
    forms = _mapping(own)
    return forms.keys() == entry.keys() and all(
        _fillable(text, forms[form]) for form, text in entry.items()
    )


def _fillable(entry: str, own: object) -> bool:
    return isinstance(own, str) and own != "" and _blanks(own) <= _blanks(entry)


def _blanks(text: str) -> set[tuple[str | None, ...]]:
    """Return the placeholders; a text that is no format has one that nobody fills.

    What follows a name in the braces stays with it: `{n:d}` fails only when the sentence is said.
    """
    try:
        return {(name, *form) for _, name, *form in Formatter().parse(text) if name is not None}
    except ValueError:
        return {("?",)}
