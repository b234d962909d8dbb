"""Reads a list of pages: llms.txt or a sitemap. Rule: at most `MAX_LISTED` pages are taken."""

import re
from itertools import islice
from urllib.parse import unquote, urlsplit

from tabloop.agent.errors import ToolError
from tabloop.core.json_text import parsed
from tabloop.tools.site.plain import plain
from tabloop.tools.site.ports import Passage

__all__ = ["MAX_LISTED", "listed_pages"]

MAX_LISTED = 5_000

# Nothing that may be repeated can match in two ways, so that a damaged list is read in one go.
_LINK = re.compile(
    r"^[ \t]*[-*+][ \t]+\[([^\]\n]*)\]\(<?([^)\s>]+)>?\)(?:[ \t]*:[ \t]*(.*))?", re.MULTILINE
)
_LOCATION = re.compile(r"<loc>([^<\]]*)(?:<!\[CDATA\[([^<\]]*)\]\]>\s*)?</loc>", re.IGNORECASE)


def listed_pages(text: str, address: str) -> list[Passage]:
    """Return the pages of a list; addresses may be relative to the list's.

    A sitemap has only addresses of its own site (sitemaps.org), so their host is left out: a copy
    of the site on another host, such as a preview, has the same paths.

    Raises:
        ToolError: `invalid_response`, if the list has another form, or names no page.
    """
    where = f"The list of pages {address}"
    start = text.lstrip()[:400].lower()
    if "<urlset" in text[:4_000]:
        listed = islice(_LOCATION.finditer(text), MAX_LISTED)
        found = [_located(plain("".join(url.groups("")).strip())) for url in listed]
    elif "<sitemapindex" in text[:4_000]:
        reason = f"{where} lists other sitemaps; name one that lists pages."
        raise ToolError("invalid_response", reason)
    elif start.startswith("<") or parsed(text):
        raise ToolError("invalid_response", f"{where} is neither an llms.txt nor a sitemap.")
    else:
        found = [
            Passage(title.strip(), "", url, about.strip(), _words_in(url))
            for title, url, about in (
                link.groups("") for link in islice(_LINK.finditer(text), MAX_LISTED)
            )
        ]
    found = [one for one in found if one.url]
    if not found:
        raise ToolError("invalid_response", f"{where} names no page.")
    return found


def _located(url: str) -> Passage:
    try:
        parts = urlsplit(url)
    except ValueError:
        return Passage("", "", "", "")
    path = parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
    return Passage("", "", path if path.startswith("/") else f"/{path}", "", _words_in(path))


def _words_in(url: str) -> str:
    """Return the words of an address, which often say what a page is about."""
    return " ".join(re.findall(r"[^\W_]{2,}", unquote(url).partition("?")[0].removesuffix(".html")))
