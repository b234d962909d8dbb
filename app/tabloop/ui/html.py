"""The one module that writes markup: HTML, and the SVG in it.

Rule: a `str` is text and gets escaped; only what `h` and `fragment` made goes in as markup.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape

__all__ = ["Attributes", "Child", "Html", "fragment", "h"]

# those without content and how they end; SVG of ours is written as in XML
VOID: Mapping[str, str] = {
    **dict.fromkeys(("br", "img", "input", "wbr"), ">"),
    **dict.fromkeys(("circle", "line", "path", "rect"), "/>"),
}
NO_TAG = ("animate", "base", "embed", "iframe", "link", "meta", "object", "script", "set", "style")
NO_NAME = ("action", "formaction", "ping", "poster", "srcdoc", "srcset", "style")
SCHEMES = {"href": ("https:", "http:"), "src": ("https:", "http:", "blob:", "data:image/")}
UNSEEN = dict.fromkeys(range(0x21))


@dataclass(frozen=True, slots=True)
class Html:
    """Markup from this module; made nowhere else. It is no `str`: adding to it is an error."""

    markup: str

    def __str__(self) -> str:
        """Return the markup."""
        return self.markup

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.markup)


Child = str | Html | None
Attributes = Mapping[str, str | int | None]


def h(tag: str, attributes: Attributes | None = None, /, *children: Child) -> Html:
    """Return an element. `None` and False leave an attribute out, True writes its name alone.

    An address with a scheme that could run code is left out. Raises `ValueError` for elements and
    attributes that a page of ours never has.
    """
    start, middle, end = _element(tag)
    parts = [start]
    for name, value in attributes.items() if attributes else ():
        if value is None or value is False:
            continue
        key, schemes = _attribute(name)
        if value is True:
            parts.append(key)
        elif not schemes or _allowed(str(value), schemes):
            parts.append(f'{key}="{escape(str(value))}"')
    return Html("".join((*parts, middle, _joined(children), end)))


def fragment(*children: Child) -> Html:
    """Return the children one after another, with no element around them."""
    return Html(_joined(children))


def _joined(children: Iterable[Child]) -> str:
    return "".join(
        [it.markup if isinstance(it, Html) else escape(it) for it in children if it is not None]
    )


@cache
def _element(tag: str) -> tuple[str, str, str]:
    if not (tag.isascii() and tag.isalnum()) or tag.lower() in NO_TAG:
        raise ValueError(f"an element that no page of ours has: {tag}")
    return (f"<{tag}", VOID[tag], "") if tag in VOID else (f"<{tag}", ">", f"</{tag}>")


@cache
def _attribute(name: str) -> tuple[str, tuple[str, ...]]:
    plain = name.isascii() and name.replace("-", "").isalnum()
    if not plain or name.lower().startswith("on") or name.lower() in NO_NAME:
        raise ValueError(f"an attribute that no page of ours has: {name}")
    return f" {name}", SCHEMES.get(name.lower(), ())


def _allowed(address: str, schemes: tuple[str, ...]) -> bool:
    address = address.translate(UNSEEN).lower()  # as browsers read it
    scheme, colon, _ = address.partition(":")
    return not colon or not {"/", "?", "#"}.isdisjoint(scheme) or address.startswith(schemes)
