"""How a tool is shown to a person.

Rule: all texts about a tool belong to that tool, so that a page can show any tool without knowing
it.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from tabloop.core.phrases import Text

__all__ = ["PLAIN", "CardKind", "Describe", "Line", "Lines", "Presentation", "counted", "readable"]

CardKind = Literal["call", "picture"]

_log = logging.getLogger(__name__)


class Line(NamedTuple):
    """A text and the values of its placeholders.

    A string is shown shortened, an ISO date in words, a number in the language's format. Other
    values, and blank strings, count as missing.
    """

    text: Text
    values: Mapping[str, Any]


Describe: TypeAlias = Callable[[Mapping[str, Any]], Line]
Lines: TypeAlias = Text | tuple[Text, ...] | Describe


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """What a person sees of a tool. Each field may be left out.

    `title` is its short name ("Weather"); without one its name in code is made readable.
    `step` says what one call looks up ("Weather in {city}"), filled from the call's arguments, and
    `summary` what it found ("{celsius} °C"), filled from the result's fields. Of several texts the
    first one counts whose placeholders all have a value; a function chooses text and values itself.
    If none can be filled, a step shows the title, and a result has no summary.
    `working` is the status line while it runs, if "Looking up: ..." does not fit.
    `capability` is the label of its checkbox; tools of one `source` share one.
    `attribution` names the origin and the licence of its sources.
    `service` names what answers its calls, if that is more than the tool itself.
    `card` is the kind of approval card: for any call, or for a picture with its price.
    `search_argument` is the text argument with which search mode may call it; the result is an
    object with a list `hits` of `{title, section, url, excerpt}`.
    """

    title: Text = ""
    step: Lines = ""
    summary: Lines = ""
    working: Text = ""
    capability: Text = ""
    attribution: Text = ""
    service: Text = ""
    card: CardKind = "call"
    search_argument: str = ""

    def step_lines(self, arguments: Mapping[str, Any]) -> tuple[Line, ...]:
        """Return the possible texts for a call with these arguments, the best first."""
        return _lines(self.step, arguments)

    def summary_lines(self, result: Mapping[str, Any]) -> tuple[Line, ...]:
        """Return the possible texts for this result, the best first."""
        return _lines(self.summary, result)


PLAIN = Presentation()  # for a tool that defines none


def counted(field: str, text: Text) -> Describe:
    """Return a summary whose `n` is the length of a list in the result, or a whole number in it.

    A result without this `field` has no summary.
    """

    def describe(result: Mapping[str, Any]) -> Line:
        found = result.get(field)
        n = len(cast("list[Any]", found)) if isinstance(found, list) else found
        return Line(text, {"n": n} if isinstance(n, int) else {})

    return describe


def readable(name: str) -> str:
    """Return a name in code as words: "get_weather" and "getWeather" become "Get weather"."""
    spaced = "".join(
        f" {sign.lower()}" if sign.isupper() and before.islower() else sign
        for before, sign in zip(f" {name}", name, strict=False)
    )
    words = " ".join(spaced.replace("_", " ").replace("-", " ").split())
    return words[:1].upper() + words[1:]


def _lines(lines: Lines, values: Mapping[str, Any]) -> tuple[Line, ...]:
    if not callable(lines):
        texts = lines if isinstance(lines, tuple) else (lines,)
        return tuple(Line(text, values) for text in texts if text)
    try:
        return (lines(values),)
    except Exception:  # arguments come from a model: a failed description must not end the run
        _log.warning("a call could not be described", exc_info=True)
        return ()
