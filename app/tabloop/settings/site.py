"""The table `[tabloop.site]`: whose assistant the page is, what it says, and how it looks.

Rule: a wrong setting has its default, and is listed as a problem. app/js/shell_site.js reads the
same table before Python is there, by the same checks.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from tabloop.settings.errors import SettingsError, Wanted, as_toml, unknown_keys

__all__ = ["SiteLink", "SiteSettings", "read_site"]

ByLanguage: TypeAlias = Mapping[str, str]

LANGUAGE = re.compile(r"[a-z]{2,3}")
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
# no scheme, no host: "//host" and "/\host" would be other sites
ADDRESS = re.compile(r"(?!//)(?![A-Za-z][A-Za-z0-9+.-]*:)[^\x00-\x20\\]+")
LINK = re.compile(r"(?:https?://|mailto:)[^\x00-\x20\\]+")
NAME_LENGTH = 60
TEXT_LENGTH = 400
INSTRUCTIONS_LENGTH = 2_000
MOST_ITEMS = 8


@dataclass(frozen=True, slots=True)
class SiteLink:
    """A link to a page of the owner, such as "Privacy"; `text` by language, "" for all of them."""

    text: ByLanguage
    url: str


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """All settings of the site, validated.

    Texts are by language; the key "" holds a text for all languages. No text: the page has its own.
    `language` are those offered; the first one is the fallback. `instructions` belong into the
    system prompt. `logo`, `css`, `search` and `pages` are addresses of this site, or blank.
    `bundestakt` tells whether the page has the tools for the record of the Bundestag,
    `start_with_search` whether search mode answers until a person turns it off.
    """

    name: str = "Tabloop"
    language: tuple[str, ...] = ("en", "de")
    welcome: ByLanguage = field(default_factory=dict[str, str])
    lead: ByLanguage = field(default_factory=dict[str, str])
    questions: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    instructions: str = ""
    links: tuple[SiteLink, ...] = ()
    theme: str = "auto"
    accent: str = "#0b5d57"
    logo: str = ""
    css: str = ""
    search: str = ""
    pages: str = ""
    bundestakt: bool = True
    start_with_search: bool = False


def read_site(value: object) -> tuple[SiteSettings, list[SettingsError]]:
    """Return the settings in a TOML value, and what is wrong with them. Never raises."""
    if not isinstance(value, dict):
        return SiteSettings(), [
            SettingsError("wrong", "site", found=as_toml(value), wanted="table")
        ]
    table = cast("Mapping[str, object]", value)
    problems = unknown_keys(table, "site.", _FIELDS)
    values: dict[str, Any] = {}
    for key, given in table.items():
        if key not in _FIELDS:
            continue
        wanted = _FIELDS[key]
        if _CHECKS[wanted](given):
            values[key] = _READERS.get(wanted, _as_it_is)(given)
        else:
            problems.append(
                SettingsError("wrong", f"site.{key}", found=as_toml(given), wanted=wanted)
            )
    if values.get("search"):
        values["search"] = _index(values["search"])
    return SiteSettings(**values), problems


def _index(address: str) -> str:
    """Return the address of an index; a name without an ending is Pagefind's folder."""
    return address if "." in address.rpartition("/")[2] else f"{address.rstrip('/')}/"


_FIELDS: Mapping[str, Wanted] = {
    "name": "site_name",
    "language": "languages",
    "welcome": "site_text",
    "lead": "site_text",
    "questions": "questions",
    "instructions": "instructions",
    "links": "links",
    "theme": "theme",
    "accent": "colour",
    "logo": "site_address",
    "css": "site_address",
    "search": "site_address",
    "pages": "site_address",
    "bundestakt": "boolean",
    "start_with_search": "boolean",
}


def _is_text(value: object, most: int = TEXT_LENGTH) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= most


def _is_language(value: object) -> bool:
    return isinstance(value, str) and bool(LANGUAGE.fullmatch(value))


def _are(value: object, accepts: Callable[[object], bool]) -> bool:
    """Whether the value is a list of few accepted items."""
    if not isinstance(value, list):
        return False
    items = cast("list[object]", value)
    return len(items) <= MOST_ITEMS and all(map(accepts, items))


def _by_language(value: object, accepts: Callable[[object], bool]) -> bool:
    """Whether the value, or each value of a table by language, is accepted."""
    if not isinstance(value, dict):
        return accepts(value)
    table = cast("Mapping[str, object]", value)
    return all(_is_language(key) and accepts(item) for key, item in table.items())


def _is_link(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    table = cast("Mapping[str, object]", value)
    url = table.get("url")
    return (
        set(table) == {"text", "url"}
        and _by_language(table["text"], _is_text)
        and isinstance(url, str)
        and bool(LINK.fullmatch(url) or ADDRESS.fullmatch(url))
    )


_CHECKS: Mapping[Wanted, Callable[[object], bool]] = {
    "site_name": lambda value: _is_text(value, NAME_LENGTH),
    "languages": lambda value: bool(value) and _are(value, _is_language),
    "site_text": lambda value: _by_language(value, _is_text),
    "questions": lambda value: _by_language(value, lambda items: _are(items, _is_text)),
    "instructions": lambda value: isinstance(value, str) and len(value) <= INSTRUCTIONS_LENGTH,
    "links": lambda value: _are(value, _is_link),
    "theme": lambda value: value in ("auto", "light", "dark"),
    "colour": lambda value: isinstance(value, str) and bool(COLOUR.fullmatch(value)),
    "site_address": lambda value: (
        isinstance(value, str) and (value == "" or bool(ADDRESS.fullmatch(value)))
    ),
    "boolean": lambda value: isinstance(value, bool),
}


def _as_it_is(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {"": value}


_READERS: Mapping[Wanted, Callable[[Any], Any]] = {
    "languages": lambda value: tuple(dict.fromkeys(value)),
    "site_text": _table,
    "questions": lambda value: {key: tuple(items) for key, items in _table(value).items()},
    "links": lambda value: tuple(SiteLink(_table(it["text"]), it["url"]) for it in value),
}
