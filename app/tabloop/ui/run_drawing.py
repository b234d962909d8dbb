"""The drawing of a run as one SVG element, from top to bottom in order of time.

Rule: one drawing fits every width: places across are percentages, and text is never scaled. It can
be read without the page's styles, too.
"""

from collections.abc import Iterator

from tabloop.ui.html import Attributes, Html, h
from tabloop.ui.run import Row, Run
from tabloop.ui.run_words import facts
from tabloop.ui.strings import Strings

__all__ = ["run_svg"]

HEAD, ROW, LAST = 44, 52, 32  # heights in pixels; the last row has no arrow
LEFT, RIGHT = 1.0, 99.0  # the first and the last lane, in percent
SHORT, LONG = 34, 96  # characters of a text on a phone and on a desktop
NAMES = {2: 20, 3: 18, 4: 12}  # characters of a lane's name on a phone, by the number of lanes


def run_svg(strings: Strings, run: Run) -> Html:
    """Return the drawing; its accessible name is the run's summary."""
    height = HEAD + ROW * len(run.rows) - LAST
    frame: Attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "class": "run-drawing",
        "role": "img",
        "aria-label": strings("run.drawing", summary=run.summary),
        "width": "100%",
        "height": height,
        "font-family": "system-ui, sans-serif",
        "font-size": 13,
        "fill": "currentColor",
    }
    return h("svg", frame, *_lanes(run, height), *_rows(strings, run))


def _lanes(run: Run, height: int) -> Iterator[Html]:
    count = len(run.lanes)
    for lane, name in enumerate(run.lanes):
        x = _x(run, lane)
        below = 16 * (lane % 2) if count > 4 else 8  # names of many lanes stand in two lines
        anchor = "start" if lane == 0 else "end" if lane == count - 1 else "middle"
        line: Attributes = {"class": "lane", "x1": x, "x2": x, "y1": HEAD - 12, "y2": height}
        yield h("line", {**line, "stroke": "currentColor", "stroke-opacity": "0.35"})
        edge = "0%" if lane == 0 else "100%" if lane == count - 1 else x
        place: Attributes = {"x": edge, "y": 13 + below, "text-anchor": anchor, "font-weight": 600}
        yield from _texts(name, place, short=NAMES.get(count, 12), long=32)


def _rows(strings: Strings, run: Run) -> Iterator[Html]:
    for index, row in enumerate(run.rows):
        top = HEAD + ROW * index
        text = f"✗ {row.text}" if row.failed else row.text
        place: Attributes = {"x": _x(run, 0), "dx": 12, "y": top + 11}
        yield from _texts(text, {**place, "class": "failed" if row.failed else None})
        numbers = facts(strings, size=row.size, took=row.took, tokens=row.tokens, cost=row.cost)
        small: Attributes = {**place, "y": top + 26, "class": "fact", "font-size": 12}
        yield from _texts(numbers, small, short=46)
        yield from _way(run, row, top + 37)


def _way(run: Run, row: Row, y: int) -> Iterator[Html]:
    """Yield the arrow of a row, or a dot for what happens in the page."""
    kind = "way failed" if row.failed else "way"
    page = _x(run, 0)
    if not row.lane:
        yield h("circle", {"class": kind, "cx": page, "cy": y - 30, "r": 4})
        return
    other = _x(run, row.lane)
    ends: Attributes = {"x1": page, "x2": other, "y1": y, "y2": y}
    dashes = "5 4" if row.inward else None  # a reply differs in shape, not only in direction
    line: Attributes = {"stroke": "currentColor", "stroke-width": "1.5", "stroke-dasharray": dashes}
    yield h("line", {"class": kind, **ends, **line})
    head = "M1 0l9 -4.5v9z" if row.inward else "M-1 0l-9 -4.5v9z"
    at: Attributes = {"x": page if row.inward else other, "y": y, "overflow": "visible"}
    yield h("svg", at, h("path", {"class": kind, "d": head}))


def _texts(text: str, place: Attributes, short: int = SHORT, long: int = LONG) -> Iterator[Html]:
    """Yield a text, and a shorter form for narrow windows, which only the page's styles show.

    The outline keeps it readable where it crosses a lane.
    """
    outline: Attributes = {"paint-order": "stroke", "stroke": "white", "stroke-width": 4}
    if not text:
        return
    kind = place.get("class")
    if len(text) > short:
        few: Attributes = {"class": f"{kind or ''} few".strip(), "display": "none"}
        yield h("text", {**place, **outline, **few}, _cut(text, short))
        kind = f"{kind or ''} many".strip()
    yield h("text", {**place, **outline, "class": kind}, _cut(text, long))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _x(run: Run, lane: int) -> str:
    return f"{LEFT + (RIGHT - LEFT) * lane / (len(run.lanes) - 1):g}%"
