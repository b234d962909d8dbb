"""The card that waits for a person before a tool is called, as HTML.

Rule: the arguments stand there whole, as text, exactly as the tool would get them; what has no
shape of its own, or turns the text around it, is written out.
"""

import json
import unicodedata
from collections.abc import Mapping
from html import escape
from typing import Any

from tabloop.agent.tools import Tool
from tabloop.ui.strings import Strings
from tabloop.ui.tool_words import tool_title

__all__ = ["approval_html", "buttons_html"]

# controls, formats (bidi marks, zero width), separators of lines, and what has no meaning agreed
_UNSEEN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"


def approval_html(strings: Strings, tool: Tool, arguments: Mapping[str, Any]) -> str:
    """Return the inside of the card; none of it can be edited."""
    asked = _seen(json.dumps(dict(arguments), ensure_ascii=False, indent=2)) if arguments else ""
    label = escape(strings("step.arguments"))
    title = escape(tool_title(strings, tool.name, tool.presentation))
    return (
        f"<h3>{escape(strings('approval.title'))}</h3>"
        f'<div class="ask"><p>{title} <code>{escape(tool.name)}</code></p>'
        f'<span>{label}</span><pre tabindex="0" role="group" aria-label="{label}">'
        f"{escape(asked or strings('step.noArguments'))}</pre></div>"
        f"{buttons_html(strings, strings('approval.allow'))}"
    )


def buttons_html(strings: Strings, confirm: str, more: str = "") -> str:
    """Return the row of buttons that every card has; what confirms is off until it is switched."""
    return (
        '<div class="row">'
        '<button type="button" class="small strong" data-card="confirm" aria-disabled="true">'
        f"{escape(confirm)}</button>"
        '<button type="button" class="small" data-card="cancel">'
        f"{escape(strings('card.cancel'))}</button>{more}</div>"
    )


def _seen(written: str) -> str:
    """Return JSON that reads as it is: a sign that nobody sees is there as its escape."""
    return "".join(
        json.dumps(sign)[1:-1]
        if sign != "\n" and (unicodedata.category(sign) in _UNSEEN or sign in _BLANK_LETTERS)
        else sign
        for sign in written
    )
