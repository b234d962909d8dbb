"""The capabilities that a person can switch on or off. Rule: the tools of one source are one."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tabloop.agent.tools import Tool
from tabloop.ui.html import Attributes, Html, fragment, h
from tabloop.ui.strings import Strings
from tabloop.ui.tool_words import tool_title

__all__ = ["Capability", "capabilities_html", "capabilities_of", "switched_on"]


@dataclass(frozen=True, slots=True)
class Capability:
    """One checkbox: `name` is the tools' source (or the tool's name), `label` its text."""

    name: str
    label: str


def capabilities_of(strings: Strings, tools: Sequence[Tool]) -> tuple[Capability, ...]:
    """Return one capability per source, in the order of the tools."""
    grouped: dict[str, list[Tool]] = {}
    for tool in tools:
        grouped.setdefault(tool.source or tool.name, []).append(tool)
    return tuple(Capability(name, _label(strings, own)) for name, own in grouped.items())


def _label(strings: Strings, tools: Sequence[Tool]) -> str:
    """Return the `capability` texts of one source's tools, or their titles if there are none."""
    labels = dict.fromkeys(strings.text(tool.presentation.capability) for tool in tools)
    titles = (tool_title(strings, tool.name, tool.presentation) for tool in tools)
    return ", ".join(filter(None, labels)) or ", ".join(titles)


def switched_on(tools: Sequence[Tool], off: Collection[str]) -> tuple[Tool, ...]:
    """Return the tools whose capability is not named in `off`."""
    return tuple(tool for tool in tools if (tool.source or tool.name) not in off)


def capabilities_html(capabilities: Sequence[Capability], off: Collection[str], none: str) -> Html:
    """Return the checkboxes, or the sentence `none`; those named in `off` are not checked."""
    if not capabilities:
        return h("p", {"class": "note"}, none)
    return fragment(*(_checkbox(item, on=item.name not in off) for item in capabilities))


def _checkbox(capability: Capability, *, on: bool) -> Html:
    box: Attributes = {"type": "checkbox", "data-capability": capability.name, "checked": on}
    return h("label", {"class": "tick"}, h("input", box), h("span", {}, capability.label))
