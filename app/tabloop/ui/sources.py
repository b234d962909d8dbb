"""The sources of an answer as HTML.

Rule: links come from tool results that succeeded, never from the model's text; each origin is named
once with its licence, as its tool states it.
"""

from collections.abc import Sequence
from html import escape

from tabloop.agent.tools import Source
from tabloop.ui.strings import Strings

__all__ = ["SHOWN", "sources_html"]

SHOWN = 5  # the rest is behind "more"


def sources_html(strings: Strings, sources: Sequence[Source], text: str, number: int = 1) -> str:
    """Return the region, empty where there is no source.

    Sources that the answer itself links come first, the others wait behind "more". `number`
    counts answers: landmarks of one page need names of their own, so the second answer's region
    is "Sources (2)".
    """
    if not sources:
        return ""
    ordered = sorted(sources, key=lambda source: source.url not in text)
    cited = sum(source.url in text for source in sources)
    shown = min(cited or SHOWN, SHOWN)
    if len(ordered) - shown == 1:  # a line that says "1 more" is no shorter than that one
        shown += 1
    title = strings("sources.title")
    name = title if number == 1 else strings("sources.titleNumbered", n=number)
    named = dict.fromkeys(strings.text(source.attribution) for source in sources)
    attribution = "; ".join(filter(None, named))
    note = f'<p class="note">{escape(attribution)}</p>' if attribution else ""
    items = [_item(source) for source in ordered]
    more = ""
    if len(items) > shown:
        rest = escape(strings("sources.more", n=len(items) - shown))
        more = f"<details><summary>{rest}</summary><ul>{''.join(items[shown:])}</ul></details>"
    return (
        f'<section class="sources" aria-label="{escape(name)}"><h3>{escape(title)}</h3>'
        f"<ul>{''.join(items[:shown])}</ul>{more}{note}</section>"
    )


def _item(source: Source) -> str:
    return (
        f'<li><a href="{escape(source.url)}" target="_blank" rel="noopener noreferrer">'
        f"{escape(source.title or source.url)}</a></li>"
    )
