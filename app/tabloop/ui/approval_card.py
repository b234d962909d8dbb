"""The HTML of the card that asks a person to approve a tool call.

Rule: it shows all arguments as text, exactly as the tool would get them. Invisible characters and
those that change the direction of text are shown as escapes.
"""

from collections.abc import Mapping
from typing import Any

from tabloop.agent.tools import Tool
from tabloop.ui.asked_text import AskedText
from tabloop.ui.html import MOST_CHARACTERS, Attributes, Html, button, fragment, h
from tabloop.ui.strings import Strings
from tabloop.ui.tool_words import tool_title

__all__ = ["approval_html", "buttons_html"]


def approval_html(strings: Strings, tool: Tool, arguments: Mapping[str, Any]) -> Html:
    """Return the content of the card; nothing in it can be edited."""
    asked = AskedText.of_arguments(arguments)
    label = strings("step.arguments")
    title = tool_title(strings, tool.name, tool.presentation)
    text = asked.shown or strings("step.noArguments")
    # all of it: one text alone would be cut
    pieces = [text[at : at + MOST_CHARACTERS] for at in range(0, len(text), MOST_CHARACTERS)]
    block: Attributes = {"tabindex": 0, "role": "group", "aria-label": label}
    return fragment(
        h("h3", {}, strings("approval.title")),
        h(
            "div",
            {"class": "ask"},
            h("p", {}, title, " ", h("code", {}, tool.name)),
            h("span", {}, label),
            h("pre", block, *pieces),
            h("p", {"class": "note"}, asked.length(strings)),
        ),
        h("div", {"class": "foot"}, buttons_html(strings, strings("approval.allow"))),
    )


def buttons_html(strings: Strings, confirm: str, more: Html | None = None) -> Html:
    """Return the row of buttons of a card; the button that confirms is disabled at first."""
    confirms: Attributes = {
        "type": "button",
        "class": "small strong",
        "data-action": "card-confirm",
        "aria-disabled": "true",
    }
    return h(
        "div",
        {"class": "row"},
        h("button", confirms, confirm),
        button(strings("card.cancel"), "card-cancel"),
        more,
    )
