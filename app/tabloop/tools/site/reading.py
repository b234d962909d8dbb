"""A page, or a section of it, as a result. Rule: what is left out is said, with an outline."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict
from urllib.parse import quote, unquote

from tabloop.core.german_text import fold, shorten
from tabloop.tools.site.ports import PageText, Section

__all__ = ["MAX_TEXT", "OutlineEntry", "ReadPage", "read_page", "section_at", "section_url"]

MAX_TEXT = 10_000  # characters
MAX_OUTLINE = 40  # headings
MAX_HEADING = 80  # characters
IN_ANCHOR = "!$&'()*+,;=:@/?"  # not encoded


class OutlineEntry(TypedDict):
    """A heading, with what to give as `section` to read it."""

    title: str
    section: str


class ReadPage(TypedDict):
    """What the model gets. `text` is data that the page's author wrote."""

    url: str
    title: str
    section: NotRequired[str]
    text: str
    cut: NotRequired[str]
    outline: NotRequired[list[OutlineEntry]]


def section_url(page: str, anchor: str) -> str:
    """Return the address of a section; that of the page if the anchor is blank."""
    # encoded as a browser does, so that a section is one source, however it was found
    return f"{page}#{quote(unquote(anchor), IN_ANCHOR)}" if anchor else page


def section_at(page: PageText, wanted: str) -> int | None:
    """Return the number of the section with this anchor or title; None if there is none."""
    anchor, title = unquote(wanted.strip().removeprefix("#")), fold(wanted)
    for number, section in enumerate(page.sections):
        if section.anchor and unquote(section.anchor) == anchor:
            return number
    titles = [fold(section.title) for section in page.sections]
    found = [n for n, own in enumerate(titles) if own == title]
    found += [n for n, own in enumerate(titles) if title and title in own]
    return found[0] if found else None


def read_page(page: PageText, url: str, number: int | None) -> ReadPage:
    """Return the page, or the section of this number with all below it.

    A text of more than 10,000 characters ends there; then the headings follow as an outline.
    """
    chosen = page.sections if number is None else _with_below(page.sections, number)
    text = "\n\n".join(filter(None, map(_markdown, chosen)))
    first = None if number is None else page.sections[number]
    result = ReadPage(
        url=section_url(url, first.anchor if first else ""),
        title=shorten(page.title, 200),
        text=text,
    )
    if first:
        result["section"] = shorten(first.title, 200)
    if len(text) > MAX_TEXT:
        result["text"] = text[:MAX_TEXT]
        result["cut"] = (
            f"These are the first {MAX_TEXT} of {len(text)} characters. "
            "Call get_page again with a section of the outline."
        )
        result["outline"] = _outline(chosen if len(chosen) > 1 else page.sections)
    return result


def _with_below(sections: Sequence[Section], number: int) -> Sequence[Section]:
    first = sections[number]
    end = number + 1
    while end < len(sections) and sections[end].level > first.level:
        end += 1
    return sections[number:end]


def _markdown(section: Section) -> str:
    heading = f"{'#' * section.level} {section.title}" if section.level else ""
    return "\n\n".join(filter(None, (heading, section.text)))


def _outline(sections: Sequence[Section]) -> list[OutlineEntry]:
    named = [section for section in sections if section.title][:MAX_OUTLINE]
    return [
        OutlineEntry(
            title=shorten(section.title, MAX_HEADING),
            section=section.anchor or shorten(section.title, MAX_HEADING),
        )
        for section in named
    ]
