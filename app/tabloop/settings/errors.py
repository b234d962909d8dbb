"""What is wrong with a setting.

Rule: an error carries facts (the key, its value, the wanted kind of value); the page has the text.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias, cast

from tabloop.core.errors import AgentError

__all__ = ["SettingsError", "Table", "Wanted", "as_toml", "unknown_keys"]

Wanted = Literal[
    "url",
    "url_or_empty",
    "text",
    "text_or_empty",
    "hops",
    "boolean",
    "stream",
    "wallets",
    "networks",
    "amount",
    "recipients",
    "table",
    "site_name",
    "languages",
    "site_text",
    "questions",
    "instructions",
    "links",
    "theme",
    "colour",
    "site_address",
]
Kind = Literal["syntax", "no_table", "missing", "wrong", "unknown"]
Table: TypeAlias = Mapping[str, Any]


class SettingsError(AgentError):
    """A setting is wrong. Raised if the page cannot start, else listed in `Settings.problems`.

    `key` is the dotted name below `[tabloop]`, `found` the value as written, `wanted` the kind of
    value that is needed, `near` a setting with a similar name, `detail` the TOML parser's message.
    """

    def __init__(
        self,
        kind: Kind,
        key: str = "",
        *,
        found: str = "",
        wanted: Wanted | None = None,
        near: str = "",
        detail: str = "",
    ) -> None:
        super().__init__(kind, detail=detail, facts={"key": key, "found": found, "near": near})
        self.kind: Kind = kind
        self.key = key
        self.found = found
        self.wanted: Wanted | None = wanted
        self.near = near


def unknown_keys(table: Table, prefix: str, known: Iterable[str]) -> list[SettingsError]:
    """Return an error for each key that is not known, with the nearest key that is not there."""
    names = list(known)
    if all(key in names for key in table):
        return []
    from difflib import get_close_matches  # noqa: PLC0415 -- most owners write no wrong key

    open_keys = [name for name in names if name not in table] or names
    errors: list[SettingsError] = []
    for key in table:
        if key not in names:
            near = get_close_matches(key, open_keys, n=1)
            errors.append(
                SettingsError("unknown", prefix + key, near=prefix + near[0] if near else "")
            )
    return errors


def as_toml(value: object) -> str:
    """Return the value roughly as it was written, at most 80 characters."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        written = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    elif isinstance(value, list):
        items = cast("list[object]", value)
        written = f"[{', '.join(as_toml(item) for item in items)}]"
    elif isinstance(value, dict):
        entries = cast("Mapping[str, object]", value).items()
        written = f"{{{', '.join(f'{key} = {as_toml(item)}' for key, item in entries)}}}"
    elif isinstance(value, int) and value.bit_length() > 80 * 4:  # Python may refuse its digits
        written = hex(value)
    else:
        written = str(value)
    return written if len(written) <= 80 else written[:79] + "…"
