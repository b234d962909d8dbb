"""Where to send to, for an address as providers print it.

Rule: an address that may be complete is tried as it is; what is added stays below it, so that no
other place on the host gets the conversation.
"""

import re
from urllib.parse import urlsplit, urlunsplit

from tabloop.endpoint.profiles import profile_of

__all__ = ["completions_urls", "models_url"]

CHAT = "/chat/completions"
IS_BASE = re.compile(r"/(v\d+\w*|openai)$")


def completions_urls(address: str) -> tuple[str, ...]:
    """Return the URLs to POST to, best first; a further one only if the ones before are unknown.

    `http://localhost:11434/v1` is an API's base and gets `/chat/completions`. Of a known host the
    base is known. Any other address may be the endpoint itself (the paid proxy has no path), or
    lack `/v1`.
    """
    parts = urlsplit(address.strip())
    path = parts.path.rstrip("/")

    def at(path: str) -> str:
        return urlunsplit(parts._replace(path=path))

    if path.endswith(CHAT):
        return (at(path),)
    known = profile_of(address)
    if known.name and not known.base:
        return (address.strip(),)
    if known.name and known.base.startswith(path):
        # a port may belong to another program
        return (at(known.base + CHAT), *([address.strip()] if parts.port and not path else []))
    if IS_BASE.search(path):
        return (at(path + CHAT),)
    return (address.strip(), at(f"{path}/v1{CHAT}"), at(path + CHAT))


def models_url(completions_url: str) -> str:
    """Return where the list of models is, blank if the URL does not tell."""
    return completions_url.removesuffix(CHAT) + "/models" if CHAT in completions_url else ""
