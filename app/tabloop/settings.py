"""The site owner's settings, table `[tabloop]` of pyscript.toml.

Rule: the page starts only if all settings are present and valid; an error carries facts (the key,
its value, the wanted kind of value), and the page has the text. Amounts stay decimal strings until
they become whole millionths, so that no float rounds them.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias, cast
from urllib.parse import urlsplit

from tabloop.core.addresses import is_endpoint, is_name
from tabloop.core.errors import AgentError
from tabloop.core.networks import NETWORKS

__all__ = [
    "PaymentSettings",
    "Settings",
    "SettingsError",
    "Wanted",
    "read_settings",
]

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
]
Kind = Literal["syntax", "no_table", "missing", "wrong", "unknown"]
Table: TypeAlias = Mapping[str, Any]

# Settings that may be missing. The others decide who is paid, and how much.
DEFAULTS: Mapping[str, Any] = {"image_model": "", "max_paid_calls": 6, "start_snapshot": True}
MAX_HOPS = 20
WALLET = re.compile(r"0x[0-9a-fA-F]{40}")
AMOUNT = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,6})?")


class SettingsError(AgentError):
    """A setting is wrong, so the page cannot start.

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


@dataclass(frozen=True, slots=True)
class PaymentSettings:
    """Limits in USDC as decimal strings, which `payments.policy` converts to millionths.

    `pay_to` maps an origin to the only address that may be paid there.
    """

    networks: tuple[str, ...]
    max_per_message: str
    max_per_image: str
    max_deposit: str
    max_per_session: str
    pay_to: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, validated. URLs have no slash at the end.

    `image_url` and `analytics_url` may be blank: then there are no such tools. `image_model` is for
    a picture service that takes a model's name. `max_paid_calls` limits the paid tool calls for one
    question. `stream` "auto": a stream is asked for, and no longer if the endpoint refuses it.
    `start_snapshot`: app/js/boot_way.js reads it, too, before Python is there.
    """

    llm_url: str
    llm_model: str
    bundestakt_url: str
    image_url: str
    image_model: str
    analytics_url: str
    analytics_owners: tuple[str, ...]
    max_hops: int
    max_paid_calls: int
    stream: bool | Literal["auto"]
    start_snapshot: bool
    payment: PaymentSettings


def read_settings(toml: str) -> Settings:
    """Read the text of pyscript.toml. Raises `SettingsError` for the first wrong setting."""
    try:
        document = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError("syntax", detail=str(error)) from None
    table = document.get("tabloop")
    if not isinstance(table, dict):
        raise SettingsError("no_table")
    tabloop = cast("Table", table)
    _refuse_unknown_keys(tabloop, "", (*_FIELDS, "payment"))
    given = {**DEFAULTS, **tabloop}
    values = {key: _value(given, "", key, wanted) for key, wanted in _FIELDS.items()}
    payment = cast("Table", _value(tabloop, "", "payment", "table"))
    _refuse_unknown_keys(payment, "payment.", tuple(_PAYMENT_FIELDS))
    limits = {
        key: _value(payment, "payment.", key, wanted) for key, wanted in _PAYMENT_FIELDS.items()
    }
    return Settings(**values, payment=PaymentSettings(**limits))


_FIELDS: Mapping[str, Wanted] = {
    "llm_url": "url",
    "llm_model": "text",
    "bundestakt_url": "url",
    "image_url": "url_or_empty",
    "image_model": "text_or_empty",
    "analytics_url": "url_or_empty",
    "analytics_owners": "wallets",
    "max_hops": "hops",
    "max_paid_calls": "hops",
    "stream": "stream",
    "start_snapshot": "boolean",
}
_PAYMENT_FIELDS: Mapping[str, Wanted] = {
    "networks": "networks",
    "max_per_message": "amount",
    "max_per_image": "amount",
    "max_deposit": "amount",
    "max_per_session": "amount",
    "pay_to": "recipients",
}


def _texts(value: object, accepts: Callable[[str], object]) -> bool:
    if not isinstance(value, list):
        return False
    items = cast("list[object]", value)
    return all(isinstance(item, str) and accepts(item) for item in items)


def _recipients(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    table = cast("Mapping[str, object]", value)
    return all(
        is_endpoint(origin)
        and not urlsplit(origin).path.rstrip("/")
        and isinstance(address, str)
        and WALLET.fullmatch(address)
        for origin, address in table.items()
    )


_CHECKS: Mapping[Wanted, Callable[[object], object]] = {
    "url": is_endpoint,
    "url_or_empty": lambda value: value == "" or is_endpoint(value),
    "text": is_name,
    "text_or_empty": lambda value: value == "" or is_name(value),
    # True is a number in Python, and 4.0 equals 4
    "hops": lambda value: type(value) is int and 1 <= value <= MAX_HOPS,
    "boolean": lambda value: isinstance(value, bool),
    "stream": lambda value: isinstance(value, bool) or value == "auto",
    "wallets": lambda value: _texts(value, WALLET.fullmatch),
    "networks": lambda value: bool(value) and _texts(value, NETWORKS.__contains__),
    "amount": lambda value: isinstance(value, str) and AMOUNT.fullmatch(value),
    "recipients": _recipients,
    "table": lambda value: isinstance(value, dict),
}


def _value(table: Table, prefix: str, key: str, wanted: Wanted) -> Any:
    if key not in table:
        raise SettingsError("missing", prefix + key, wanted=wanted)
    value = table[key]
    if not _CHECKS[wanted](value):
        raise SettingsError("wrong", prefix + key, found=_as_toml(value), wanted=wanted)
    if isinstance(value, list):
        return tuple(cast("list[object]", value))
    if isinstance(value, str):
        return value.rstrip("/") if wanted.startswith("url") else value.strip()
    return value


def _refuse_unknown_keys(table: Table, prefix: str, known: tuple[str, ...]) -> None:
    """Report an unknown key before a missing one: it is probably the missing key, mistyped."""
    for key in table:
        if key not in known:
            open_keys = [name for name in known if name not in table] or list(known)
            near = get_close_matches(key, open_keys, n=1)
            raise SettingsError("unknown", prefix + key, near=prefix + near[0] if near else "")


def _as_toml(value: object) -> str:
    """Return the value roughly as it was written, at most 80 characters."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        written = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    elif isinstance(value, list):
        items = cast("list[object]", value)
        written = f"[{', '.join(_as_toml(item) for item in items)}]"
    elif isinstance(value, dict):
        entries = cast("Mapping[str, object]", value).items()
        written = f"{{{', '.join(f'{key} = {_as_toml(item)}' for key, item in entries)}}}"
    else:
        written = str(value)
    return written if len(written) <= 80 else written[:79] + "…"
