"""What the page says of the model servers on this computer.

Rule: a server that cannot be used is named with what the person can do about it.
"""

import json
from collections.abc import Sequence
from typing import Literal

from tabloop.core.http import host_of
from tabloop.endpoint.local_servers import Found, LocalModel
from tabloop.ui.html import Child, Html, button, fragment, h
from tabloop.ui.strings import Strings

__all__ = ["Access", "access_line", "chosen_of", "found_html"]

KEYS = {"Ollama": "Ollama", "llama.cpp": "LlamaCpp", "LM Studio": "LmStudio"}
SHOWN = 8  # models of a server; the others are behind "more"

# how the browser treats requests to this computer: "own" where the page is on it, too
Access = Literal["own", "asks", "denied", "insecure"]


def access_line(strings: Strings, access: Access) -> str:
    """Return what the browser does before a page reaches this computer, blank if nothing."""
    return "" if access == "own" else strings(f"local.{access}")


def found_html(
    strings: Strings, found: Sequence[Found], *, origin: str, access: Access = "own"
) -> Html:
    """Return the models that were found, and a sentence for each server that cannot be used.

    `origin` is the page's, which a server has to allow.
    """
    usable = [one for one in found if one.models]
    others = [_problem(strings, one, origin) for one in found if not one.models]
    line = "" if usable else access_line(strings, access)
    return fragment(
        *(_server(strings, one) for one in usable),
        h("p", {"class": "note"}, strings("local.none")) if not usable else None,
        h("p", {"class": "note told"}, line) if line else None,
        h("ul", {"class": "checks"}, *others) if others else None,
    )


def chosen_of(value: str) -> tuple[str, str]:
    """Return address and model of a pressed button's value."""
    url, model = json.loads(value)
    return str(url), str(model)


def _server(strings: Strings, found: Found) -> Html:
    where = strings("local.at", name=found.server.name, host=host_of(found.url))
    items = [_model(strings, found.url, model) for model in found.models]
    more: Child = None
    if len(items) > SHOWN + 1:
        rest = strings("local.more", n=len(items) - SHOWN)
        more = h("details", {}, h("summary", {}, rest), h("ul", {}, *items[SHOWN:]))
        items = items[:SHOWN]
    title = h("p", {"class": "caption"}, where)
    return h("div", {"role": "group", "aria-label": where}, title, h("ul", {}, *items), more)


def _model(strings: Strings, url: str, model: LocalModel) -> Html:
    known = {True: "local.tools", False: "local.noTools", None: "local.unknown"}[model.tools]
    said = [strings(known)]
    if model.elsewhere:
        said.append(strings("local.elsewhere", host=model.elsewhere))
    value = json.dumps([url, model.name])
    use = button(model.name, "use-local", value=value)
    return h("li", {}, use, h("span", {"class": "note"}, " ".join(said)))


def _problem(strings: Strings, found: Found, origin: str) -> Html:
    key = KEYS[found.server.name]
    name, host = found.server.name, host_of(found.url)
    said = strings(f"local.{found.state}", name=name, host=host)
    if found.state != "key":
        kind = {"silent": "start", "refused": "allow", "empty": "get"}[found.state]
        said = f"{said} {strings(f'local.{kind}{key}', origin=origin)}"
    return h("li", {"data-state": "failed"}, h("span", {}, said))
