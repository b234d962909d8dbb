"""The sources of an answer as HTML.

Rule: links come from successful tool results, never from the model's text. Each licence note is
shown once, as the tool states it.
"""

import re
from collections.abc import Sequence

from tabloop.agent.tools import Source
from tabloop.core.german_text import MAX_LABEL, shorten
from tabloop.ui.html import Attributes, Html, fragment, h
from tabloop.ui.strings import Strings
from tabloop.ui.unseen import without_unseen

__all__ = ["SHOWN", "source_title", "sources_html"]

SHOWN = 5  # the others are behind "more"
_ISO_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")


def sources_html(strings: Strings, sources: Sequence[Source], text: str, number: int = 1) -> Html:
    """Return the region, empty if there is no source.

    Sources that `text` (the answer) links come first, others are behind "more". `number` is the
    answer's number: each landmark of a page needs its own name, such as "Sources (2)".
    """
    if not sources:
        return fragment()
    ordered = sorted(sources, key=lambda source: source.url not in text)
    cited = sum(source.url in text for source in sources)
    shown = min(cited or SHOWN, SHOWN)
    if len(ordered) - shown == 1:  # "1 more" would take as much space as the source itself
        shown += 1
    title = strings("sources.title")
    name = title if number == 1 else strings("sources.titleNumbered", n=number)
    named = dict.fromkeys(strings.text(source.attribution) for source in sources)
    attribution = "; ".join(filter(None, named))
    items, more = [_item(strings, source) for source in ordered], None
    if len(items) > shown:
        rest = h("summary", {}, strings("sources.more", n=len(items) - shown))
        more = h("details", {}, rest, h("ul", {}, *items[shown:]))
    return h(
        "section",
        {"class": "sources", "aria-label": name},
        h("h3", {}, title),
        h("ul", {}, *items[:shown]),
        more,
        h("p", {"class": "note"}, attribution) if attribution else None,
    )


def source_title(strings: Strings, source: Source) -> str:
    """Return the title with its dates in words; the address if there is no title."""
    title = shorten(without_unseen(source.title), MAX_LABEL)
    return _ISO_DATE.sub(lambda found: strings.date(found[0]), title) or source.url


def _item(strings: Strings, source: Source) -> Html:
    where: Attributes = {
        "href": source.url,
        "target": "_blank",
        "rel": "noopener noreferrer",
        "dir": "auto",
    }
    return h("li", {}, h("a", where, source_title(strings, source)))
