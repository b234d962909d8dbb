"""The only module that writes markup (HTML and SVG).

Rule: a `str` is text and is escaped; only values of the class `Html` go in as markup. No text turns
the direction of what stands around it, and none is so long that it would block the tab.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from tabloop.core.addresses import has_user
from tabloop.ui.unseen import upright

__all__ = ["MOST_CHARACTERS", "Attributes", "Child", "Html", "button", "fragment", "h"]

# elements without content, and the end of their tag: SVG elements are written as in XML
VOID: Mapping[str, str] = {
    **dict.fromkeys(("br", "img", "input", "wbr"), ">"),
    **dict.fromkeys(("circle", "line", "path", "rect"), "/>"),
}
FORBIDDEN_TAGS = (
    "animate",
    "base",
    "embed",
    "iframe",
    "link",
    "meta",
    "object",
    "script",
    "set",
    "style",
)
FORBIDDEN_ATTRIBUTES = ("action", "formaction", "ping", "poster", "srcdoc", "srcset", "style")
SCHEMES = {"href": ("https:", "http:"), "src": ("https:", "http:", "blob:", "data:image/")}
# as the module `html` does; with it a table of 2,231 names would come with the start
ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
MOST_CHARACTERS = 100_000  # of one text; how many more there are stands behind it
IGNORED_BY_BROWSERS = dict.fromkeys(range(0x21))


@dataclass(frozen=True, slots=True)
class Html:
    """Markup, made only in this module. It is not a `str`, so `+` with text is a type error."""

    markup: str

    def __str__(self) -> str:
        """Return the markup."""
        return self.markup

    def __bool__(self) -> bool:
        """Return whether the markup is not empty."""
        return bool(self.markup)


Child = str | Html | None
Attributes = Mapping[str, str | int | None]


def h(tag: str, attributes: Attributes | None = None, /, *children: Child) -> Html:
    """Return an element. `None` and `False` omit an attribute, `True` writes its name alone.

    An address is omitted if its scheme could run code, or if a user stands before its host. Raises
    `ValueError` for elements and attributes that are forbidden in this page, such as scripts and
    event handlers.
    """
    start, middle, end = _element(tag)
    parts = [start]
    for name, value in attributes.items() if attributes else ():
        if value is None or value is False:
            continue
        key, schemes = _attribute(name)
        written = upright(str(value) if schemes else _bounded(str(value)))
        if value is True:
            parts.append(key)
        elif not schemes or _allowed(written, schemes):
            parts.append(f'{key}="{written.translate(ESCAPED)}"')
    return Html("".join((*parts, middle, _joined(children), end)))


def button(
    label: str, action: str, look: str = "small", *, value: str | None = None, off: bool = False
) -> Html:
    """Return a button that the page dispatches by `action`; `look` is its class."""
    attributes: Attributes = {
        "type": "button",
        "class": look,
        "data-action": action,
        "data-value": value,
        "disabled": off,
    }
    return h("button", attributes, label)


def fragment(*children: Child) -> Html:
    """Return the children one after another, without an element around them."""
    return Html(_joined(children))


def _joined(children: Iterable[Child]) -> str:
    return "".join(
        [
            child.markup if isinstance(child, Html) else upright(_bounded(child)).translate(ESCAPED)
            for child in children
            if child is not None
        ]
    )


def _bounded(text: str) -> str:
    rest = len(text) - MOST_CHARACTERS
    return text if rest <= 0 else f"{text[:MOST_CHARACTERS]} … (+{rest})"


@cache
def _element(tag: str) -> tuple[str, str, str]:
    if not (tag.isascii() and tag.isalnum()) or tag.lower() in FORBIDDEN_TAGS:
        raise ValueError(f"a forbidden element: {tag}")
    return (f"<{tag}", VOID[tag], "") if tag in VOID else (f"<{tag}", ">", f"</{tag}>")


@cache
def _attribute(name: str) -> tuple[str, tuple[str, ...]]:
    plain = name.isascii() and name.replace("-", "").isalnum()
    if not plain or name.lower().startswith("on") or name.lower() in FORBIDDEN_ATTRIBUTES:
        raise ValueError(f"a forbidden attribute: {name}")
    return f" {name}", SCHEMES.get(name.lower(), ())


def _allowed(address: str, schemes: tuple[str, ...]) -> bool:
    address = address.translate(IGNORED_BY_BROWSERS).lower()
    if has_user(address):
        return False
    scheme, colon, _ = address.partition(":")
    return not colon or not {"/", "?", "#"}.isdisjoint(scheme) or address.startswith(schemes)
