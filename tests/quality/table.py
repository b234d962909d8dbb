"""The results as a table or as JSON. Rule: the figures are counts, never rounded shares."""

import json
from collections.abc import Sequence

from tests.quality.questions import LANGUAGES
from tests.quality.scoring import ASPECTS, Score

__all__ = ["as_json", "line", "table"]

HEADS = ("", *ASPECTS, "seconds", "tokens")
WIDTHS = (5, 7, 9, 7, 8, 7, 7, 7)


def table(scores: Sequence[Score]) -> str:
    """Return a row for each language and their sum, then the questions that ended in an error.

    "3/4": three of the four questions that have this point. Seconds and tokens are means.
    """
    rows = [
        _row(code, [one for one in scores if one.question.language == code]) for code in LANGUAGES
    ]
    failed = [f"{one.question.id} {one.outcome.problem}" for one in scores if one.outcome.problem]
    return "\n".join([_columns(HEADS), *rows, _row("all", scores), *failed])


def line(scored: Score) -> str:
    """Return one question's result: what was wrong, the first call, the seconds."""
    outcome = scored.outcome
    wrong = [name for name, right in scored.right.items() if not right]
    called = outcome.tool or "no call"
    verdict = f"wrong: {', '.join(wrong)}" if wrong else "right"
    return f"{scored.question.id:22} {outcome.seconds:6.1f} s  {called:16} {verdict}"


def as_json(scores: Sequence[Score]) -> str:
    """Return all results with the answers, for a program to read."""
    entries = [
        {
            "id": one.question.id,
            "language": one.question.language,
            "kind": one.question.kind,
            "right": dict(one.right),
            "tool": one.outcome.tool,
            "arguments": one.outcome.arguments and dict(one.outcome.arguments),
            "sources": one.outcome.sources,
            "seconds": round(one.outcome.seconds, 1),
            "tokens": one.outcome.tokens,
            "problem": one.outcome.problem,
            "text": one.outcome.text,
        }
        for one in scores
    ]
    return json.dumps(entries, ensure_ascii=False, indent=1, default=str)


def _row(name: str, scores: Sequence[Score]) -> str:
    counts = [
        f"{sum(have)}/{len(have)}"
        for aspect in ASPECTS
        for have in [[one.right[aspect] for one in scores if aspect in one.right]]
    ]
    count = len(scores) or 1
    seconds = sum(one.outcome.seconds for one in scores) / count
    tokens = sum(one.outcome.tokens for one in scores) / count
    return _columns((name, *counts, f"{seconds:.1f}", f"{tokens:.0f}"))


def _columns(cells: Sequence[str]) -> str:
    return " ".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))
