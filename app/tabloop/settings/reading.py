"""Reads the table `[tabloop]`.

Rule: amounts stay decimal strings until they become whole millionths, so that no float rounds them.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from tabloop.core.addresses import is_endpoint, is_name
from tabloop.core.networks import NETWORKS
from tabloop.settings.errors import SettingsError, Table, Wanted, as_toml, unknown_keys
from tabloop.settings.site import SiteSettings, read_site

__all__ = ["PaymentSettings", "Settings", "read_settings"]

# Used where the setting is missing or wrong. The others decide who is paid, and how much.
DEFAULTS: Mapping[str, Any] = {
    "bundestakt_url": "https://www.bundestakt.de/api/v1",
    "image_url": "",
    "image_model": "",
    "analytics_url": "",
    "analytics_owners": [],
    "stream": False,
    "start_snapshot": True,
    "offline": True,
}
PAID_CALLS = 6  # only where the setting is missing
MAX_HOPS = 20
WALLET = re.compile(r"0x[0-9a-fA-F]{40}")
AMOUNT = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,6})?")


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

    `image_url` and `analytics_url` may be blank: then there are no such tools. Without `llm_url`
    the page has only search mode, and no pictures. `image_model` is for a picture service that
    takes a model's name. `max_paid_calls` limits the paid tool calls for one
    question. `stream` "auto": a stream is asked for, and no longer if the endpoint refuses it.
    `start_snapshot` and `offline` are read by app/js/boot_way.js and app/js/offline.js, not here.
    `problems` are settings that are wrong and do not keep the page from starting.
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
    offline: bool
    payment: PaymentSettings
    site: SiteSettings
    problems: tuple[SettingsError, ...]


def read_settings(toml: str) -> Settings:
    """Return the settings in the text of pyscript.toml.

    Raises:
        SettingsError: The text is not TOML, or a setting about money or the model is wrong.
    """
    try:
        document = tomllib.loads(toml)
    except (ValueError, RecursionError) as error:  # also thousands of digits or brackets
        raise SettingsError("syntax", detail=str(error), found=_line(toml, str(error))) from None
    table = document.get("tabloop")
    if not isinstance(table, dict):
        raise SettingsError("no_table")
    tabloop = cast("Table", table)
    problems = unknown_keys(tabloop, "", (*_FIELDS, "payment", "site"))
    missing = {*_FIELDS, "payment"} - DEFAULTS.keys() - tabloop.keys()
    for unknown in problems:
        if unknown.near in missing:
            raise unknown  # a limit or an address, mistyped
    given: Table = {"max_paid_calls": PAID_CALLS, **DEFAULTS, **tabloop}
    values: dict[str, Any] = {}
    for key, wanted in _FIELDS.items():
        try:
            values[key] = _value(given, "", key, wanted)
        except SettingsError as error:
            if key not in DEFAULTS:
                raise
            problems.append(error)
            values[key] = _value(DEFAULTS, "", key, wanted)
    payment = cast("Table", _value(tabloop, "", "payment", "table"))
    for unknown in unknown_keys(payment, "payment.", _PAYMENT_FIELDS):
        raise unknown
    limits = {
        key: _value(payment, "payment.", key, wanted) for key, wanted in _PAYMENT_FIELDS.items()
    }
    site, wrong = read_site(tabloop.get("site", {}))
    return Settings(
        **values, payment=PaymentSettings(**limits), site=site, problems=(*problems, *wrong)
    )


_FIELDS: Mapping[str, Wanted] = {
    "llm_url": "url_or_empty",
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
    "offline": "boolean",
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
        raise SettingsError("wrong", prefix + key, found=as_toml(value), wanted=wanted)
    if isinstance(value, list):
        return tuple(cast("list[object]", value))
    if isinstance(value, str):
        return value.rstrip("/") if wanted.startswith("url") else value.strip()
    return value


def _line(toml: str, message: str) -> str:
    """Return the line that the TOML parser's message names; blank if it names none."""
    named = re.search(r"\(at line (\d+), column \d+\)$", message)
    return (toml.split("\n")[int(named[1]) - 1 :] or [""])[0].strip() if named else ""
