"""The page's words in one language. Rule: no sentence stands in code; a missing one is an error."""

import json
import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

from tabloop.core.data import data_text

__all__ = ["LANGUAGES", "Language", "Strings", "load_strings"]

Language = Literal["en", "de"]
LANGUAGES: tuple[Language, ...] = ("en", "de")
Entry: TypeAlias = str | Mapping[str, str]

ISO_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")


class Strings:
    """Looks sentences up by `section.key` and fills in values."""

    def __init__(self, language: Language, table: Mapping[str, Mapping[str, Entry]]) -> None:
        self.language: Language = language
        self._table = table

    def __call__(self, key: str, /, **values: str | int) -> str:
        """Return the sentence; numbers are written as the language writes them.

        An entry with the forms "one" and "other" is chosen by the value `n`.
        Raises `KeyError` for a key or a value that is missing.
        """
        section, _, name = key.partition(".")
        entry = self._table[section][name]
        if not isinstance(entry, str):
            entry = entry["one" if values["n"] == 1 else "other"]
        written = {
            name: self.number(value) if isinstance(value, int) else value
            for name, value in values.items()
        }
        return entry.format_map(written)

    def __contains__(self, key: str) -> bool:
        """Whether there is a sentence; only for names that others choose, like a tool's."""
        section, _, name = key.partition(".")
        return name in self._table.get(section, {})

    def number(self, value: int) -> str:
        """Return a whole number with its thousands apart."""
        return f"{value:,}".replace(",", self("format.group"))

    def date(self, iso: str) -> str:
        """Return an ISO date in words; anything else as it is. No time zone is involved."""
        if not (parts := ISO_DATE.fullmatch(iso)):
            return iso
        year, month, day = parts.groups()
        months = self("format.months").split(",")
        if not 1 <= int(month) <= len(months):
            return iso
        return self("format.date", day=str(int(day)), month=months[int(month) - 1], year=year)


def load_strings(language: str) -> Strings:
    """Read a language's file; English for one that we do not have."""
    known: Language = "de" if language == "de" else "en"
    return Strings(known, json.loads(data_text(f"locales/{known}.json")))
