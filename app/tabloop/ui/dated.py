"""Adds the dates that a question's day words mean. Rule: the words themselves stay as they are."""

from datetime import date

from tabloop.searching.days import take_days

__all__ = ["dated"]

MAX_LENGTH = 4_000  # characters; some patterns take quadratic time
_MARKS = str.maketrans("⟦⟧", "[]")  # which `take_days` puts into its text


def dated(question: str, today: date) -> str:
    """Return the question with a line of ISO dates, where it has day words in English or German."""
    _, spans, _ = take_days(question[:MAX_LENGTH].translate(_MARKS), today)
    meant = [
        first.isoformat() if first == last else f"{first.isoformat()} to {last.isoformat()}"
        for first, last in spans
    ]
    new = [span for span in dict.fromkeys(meant) if span not in question]
    return f"{question}\n(That means: {', '.join(new)})" if new else question
