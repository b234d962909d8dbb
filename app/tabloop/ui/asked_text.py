"""A text that a person is asked to agree to. Rule: what runs is what stands there, all of it.

A text that can be edited has no signs that cannot be seen; in one that cannot be, they are written
out. Its length stands beside it, because a long text is not in sight as a whole.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tabloop.ui.strings import Strings
from tabloop.ui.unseen import as_it_looks, without_unseen, written_out

__all__ = ["AskedText"]


@dataclass(frozen=True, slots=True)
class AskedText:
    """The text as it is shown, and how many signs were left out of it."""

    shown: str
    left_out: int = 0

    @classmethod
    def editable(cls, given: str) -> "AskedText":
        """Return a model's text for a field, all of which can be seen there."""
        return cls(as_it_looks(given), len(given) - len(without_unseen(given)))

    @classmethod
    def of_arguments(cls, arguments: Mapping[str, Any]) -> "AskedText":
        """Return the arguments of a call as JSON, which nobody edits."""
        if not arguments:
            return cls("")
        return cls(written_out(json.dumps(dict(arguments), ensure_ascii=False, indent=2)))

    @property
    def runs(self) -> str:
        """The text that runs: without what a person has pasted into the field and cannot see."""
        return without_unseen(self.shown).strip()

    def length(self, strings: Strings) -> str:
        """Return how long the text is and what was left out, blank for no text."""
        text = self.runs
        if not text:
            return ""
        parts = [strings("approval.characters", n=len(text))]
        if lines := text.count("\n"):
            parts.append(strings("approval.lines", n=lines + 1))
        left_out = self.left_out + len(self.shown) - len(without_unseen(self.shown))
        said = " · ".join(parts)
        return f"{said}. {strings('approval.leftOut', n=left_out)}" if left_out else said
