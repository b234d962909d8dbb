"""The page's sentences in one language.

Rule: the page's sentences are in app/locales, a tool's texts are in the tool's package. A missing
one is an error.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TypeAlias

from tabloop.core.data import data_text
from tabloop.core.phrases import LANGUAGES, Language, Phrase, Text
from tabloop.ui.unseen import without_unseen

__all__ = ["LANGUAGES", "Entry", "Language", "Strings", "Table", "load_strings"]

Entry: TypeAlias = str | Mapping[str, str]
Table: TypeAlias = Mapping[str, Mapping[str, Entry]]

ISO_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")


class Strings:
    """Finds sentences by `section.key` and fills in values.

    `language` is the one of tools' texts. `missing` are keys that a third language does not have.
    """

    def __init__(self, language: Language, table: Table, missing: Sequence[str] = ()) -> None:
        self.language: Language = language
        self._table = table
        self.missing = tuple(missing)

    def __call__(self, key: str, /, **values: str | int) -> str:
        """Return the sentence with its values; numbers are formatted for the language.

        In an entry with the forms "one" and "other", the value `n` chooses the form.
        Raises `KeyError` for a key or a value that is missing.
        """
        section, _, name = key.partition(".")
        entry = self._table[section][name]
        if not isinstance(entry, str):
            entry = entry["one" if values["n"] == 1 else "other"]
        return self.fill(entry, values)

    def text(self, text: Text) -> str:
        """Return a tool's text in this language; placeholders stay."""
        return text.form(self.language) if isinstance(text, Phrase) else text

    def fill(self, text: Text, values: Mapping[str, str | int]) -> str:
        """Return such a text with its placeholders filled; numbers are formatted.

        What cannot be seen is left out of values, because other servers chose some of them.
        Raises `KeyError` for a value that is missing.
        """
        if isinstance(text, Phrase):
            text = text.form(self.language, values.get("n"))
        written = {
            name: self.number(value) if isinstance(value, int) else without_unseen(value)
            for name, value in values.items()
        }
        return text.format_map(written)

    def number(self, value: int) -> str:
        """Return a whole number with separators between groups of thousands."""
        return f"{value:,}".replace(",", self("format.group"))

    def date(self, iso: str) -> str:
        """Return an ISO date in words; other text is unchanged. No time zone is involved."""
        if not (parts := ISO_DATE.fullmatch(iso)):
            return iso
        try:
            day = date.fromisoformat(iso)
        except ValueError:  # no day of the calendar
            return iso
        month = self("format.months").split(",")[day.month - 1]
        return self("format.date", day=str(day.day), month=month, year=parts[1])


def load_strings(language: str, own: object = None) -> Strings:
    """Return the sentences of a language; English for a language without a file.

    `own` are those of a third language (see `own_strings`), which replace them.
    """
    known: Language = "de" if language == "de" else "en"
    table: Table = json.loads(data_text(f"locales/{known}.json"))
    if not own:
        return Strings(known, table)
    from tabloop.ui.own_strings import overlaid  # noqa: PLC0415 -- few pages need it

    merged, missing = overlaid(table, own)
    return Strings(known, merged, missing)
