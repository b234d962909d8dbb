"""Checks of endpoint addresses and of names. Rule: only what is listed as allowed is accepted.

A browser refuses some addresses only when it sends, and does not say why.
"""

import re
from urllib.parse import urlsplit

__all__ = [
    "LOOPBACK",
    "has_user",
    "is_endpoint",
    "is_link",
    "is_loopback",
    "is_name",
    "is_safe_scheme",
]

# The page's security policy names the same hosts. It cannot name [::1]: browsers ignore such a
# source, so a page could never send there.
LOOPBACK = ("localhost", "127.0.0.1")
MAX_HOST_LENGTH = 253

_HOST_AND_PORT = re.compile(r"([^:]+)(?::([1-9][0-9]{0,4}))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")  # browsers read a host that ends so as an IPv4 address
_BYTE = re.compile(r"0|[1-9][0-9]{0,2}")
_USER = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?[/\\\\]*[^/\\\\?#]*@", re.IGNORECASE)
_INVISIBLE = "\u115f\u1160\u3164\uffa0"  # letters that are drawn as empty space


def is_endpoint(value: object) -> bool:
    """Whether a page may send to this URL: https, or http to this machine; no user, no query."""
    if not isinstance(value, str) or not value.isprintable() or re.search(r"[\s\\?#]", value):
        return False
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    match = _HOST_AND_PORT.fullmatch(parts.netloc)
    if not match or int(match[2] or 0) > 65535:
        return False
    host = match[1].lower()
    return _is_host(host) and is_safe_scheme(parts.scheme, host)


def is_loopback(host: str) -> bool:
    """Whether a host name (without its port) means this machine."""
    return host.lower() in LOOPBACK


def is_safe_scheme(scheme: str, host: str) -> bool:
    """Whether the page may load from this host: https, or http from this machine."""
    return scheme == "https" or (scheme == "http" and is_loopback(host))


def is_link(url: str) -> bool:
    """Whether a page may link this address: http or https, and without a user."""
    return url.lower().startswith(("https://", "http://")) and not has_user(url)


def has_user(url: str) -> bool:
    """Whether a user stands before the host, as in "https://bundestag.de@evil.example"."""
    # browsers read a backslash as a slash
    return bool(_USER.match("".join(url.split())))


def is_name(value: object) -> bool:
    """Whether this is text with a letter or digit that can be seen, and no control characters."""
    if not isinstance(value, str) or not value.strip().isprintable():
        return False
    return any(letter.isalnum() and letter not in _INVISIBLE for letter in value)


def _is_host(host: str) -> bool:
    if not host.isascii():
        # letters only: IDNA drops or replaces other characters, and nobody would notice
        if any(letter in _INVISIBLE or not _is_host_letter(letter) for letter in host):
            return False
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return False
    labels = host.split(".")
    if len(host) > MAX_HOST_LENGTH or not all(map(_LABEL.fullmatch, labels)):
        return False
    if not _NUMBER.fullmatch(labels[-1]):
        return True
    return len(labels) == 4 and all(_BYTE.fullmatch(part) and int(part) < 256 for part in labels)


def _is_host_letter(letter: str) -> bool:
    if letter.isascii():
        return letter.isalnum() or letter in "._-"
    return letter.isalnum() or "\u0300" <= letter <= "\u036f"  # umlauts as two characters
