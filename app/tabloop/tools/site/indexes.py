"""Reads the search indexes of MkDocs, Docusaurus and Sphinx.

Rule: an index is data; nothing in it is run, and what has another form is refused with its name.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from tabloop.agent.errors import ToolError
from tabloop.core.json_text import Json, JsonObject, as_list, as_object, as_text, parsed
from tabloop.tools.site.plain import plain
from tabloop.tools.site.ports import Passage

__all__ = ["LINK_SUFFIX", "passages_of"]

LINK_SUFFIX = ".html"  # of Sphinx's pages, unless its options say otherwise
_SPHINX = re.compile(r"^\s*Search\.setIndex\(\s*(\{.*\})\s*\)\s*;?\s*$", re.DOTALL)
# A string, or a key without quotes, as Sphinx wrote them until version 6. It also takes a string
# without an end and a word without a colon: else each of their characters is a new start.
KEY = re.compile(r'"(?:[^"\\]|\\.)*"?|([A-Za-z_$][\w$]*|\d+)(\s*:)?')


def passages_of(text: str, address: str, link_suffix: str = LINK_SUFFIX) -> Iterator[Passage]:
    """Return the passages of an index, of whichever of the known formats it is.

    Their addresses are relative to what `address` (the index's own) names as the site's root.
    `link_suffix` is how Sphinx's pages end: ".html", or "/" for a page in a folder.

    Raises:
        ToolError: `invalid_response`, if it is a web page, or in no format that is known.
    """
    where = f"The search index {address}"
    if text.lstrip()[:1] == "<":
        raise ToolError("invalid_response", f"{where} is a web page, not an index.")
    sphinx = _SPHINX.match(text)
    # the quotes take longer than all else, and Sphinx writes them itself since version 6
    read = parsed(sphinx[1] if sphinx else text) or (sphinx and parsed(_quoted(sphinx[1])))
    if not read:
        reason = f"{where} is neither JSON nor Sphinx's searchindex.js."
        raise ToolError("invalid_response", reason)
    [whole] = read
    if sphinx:
        return _sphinx(as_object(whole), link_suffix)
    if isinstance(whole, list) and all("documents" in as_object(part) for part in whole):
        return _docusaurus(whole)
    if isinstance(whole, dict) and isinstance(whole.get("docs"), list):
        return _mkdocs(as_list(whole["docs"]))
    reason = f"{where} has an unknown format (known: Pagefind, MkDocs, Sphinx, Docusaurus)."
    raise ToolError("invalid_response", reason)


def _quoted(literal: str) -> str:
    """Return a JavaScript object as JSON, by putting its keys in quotes."""
    return KEY.sub(lambda found: f'"{found[1]}"{found[2]}' if found[2] else found[0], literal)


def _mkdocs(documents: list[Json]) -> Iterator[Passage]:
    title, page = "", ""
    items = [*map(as_object, documents)]
    for number, item in enumerate(items):
        location, own = as_text(item.get("location")), plain(as_text(item.get("title")))
        path, _, anchor = location.partition("#")
        if not anchor or path != page:
            title, page = own, path
        text = plain(as_text(item.get("text")))
        if anchor or not _repeats(location, text, items, number + 1):
            yield Passage(title, own if anchor else "", location, text)


def _repeats(location: str, text: str, items: Sequence[JsonObject], first: int) -> bool:
    """Return whether a page's text holds the text of its first section, as MkDocs writes it.

    Material for MkDocs writes only what stands before the first section.
    """
    for item in (items[at] for at in range(first, len(items))):
        if not as_text(item.get("location")).startswith(f"{location}#"):
            return False
        if section := plain(as_text(item.get("text"))):
            return section in text
    return False


def _docusaurus(parts: list[Json]) -> Iterator[Passage]:
    listed = [[*map(as_object, as_list(as_object(part).get("documents")))] for part in parts]
    titles = {str(item.get("i")): as_text(item.get("t")) for item in listed[0]} if listed else {}
    for number, items in enumerate(listed):
        for item in items:
            title, own = titles.get(str(item.get("p")), ""), as_text(item.get("t"))
            url, anchor = as_text(item.get("u")), as_text(item.get("h"))
            if number == 0:  # titles, and below headings, descriptions, keywords, contents
                yield Passage(own, "", url, "")
            elif number == 4:
                section = as_text(item.get("s")) if anchor else ""
                yield Passage(title, section, url + anchor, own)


def _sphinx(index: JsonObject, suffix: str) -> Iterator[Passage]:
    """Sphinx stores no text: a page's words are those whose list names it."""
    names = [*map(as_text, as_list(index.get("docnames")))]
    titles = [plain(as_text(title)) for title in as_list(index.get("titles"))]
    words = defaultdict[int, list[str]](list)
    for key in ("terms", "titleterms"):
        for word, places in as_object(index.get(key)).items():
            for place in places if isinstance(places, list) else [places]:
                if isinstance(place, int):
                    words[place].append(word)
    urls = [_sphinx_url(name, suffix) for name in names]
    for number, (url, title) in enumerate(zip(urls, titles, strict=False)):
        yield Passage(title, "", url, "", " ".join(words[number]))
    for key in ("alltitles", "indexentries"):
        for heading, places in as_object(index.get(key)).items():
            for place in as_list(places):
                number, anchor = (*as_list(place), None, None)[:2]
                if (
                    isinstance(number, int)
                    and 0 <= number < min(len(urls), len(titles))
                    and isinstance(anchor, str)
                    and anchor
                ):
                    yield Passage(titles[number], plain(heading), f"{urls[number]}#{anchor}", "")


def _sphinx_url(name: str, suffix: str) -> str:
    if suffix != "/":
        return name + suffix
    return "" if name == "index" else name.removesuffix("/index") + "/"
