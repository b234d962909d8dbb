"""What the page says about the browser's own language model.

Rule: its size is named before anything is downloaded, and a sentence about what does not work
says what would help.
"""

from dataclasses import dataclass
from typing import Literal

from tabloop.ui.html import Html, button, fragment, h
from tabloop.ui.strings import Strings
from tabloop.ui.unseen import as_it_looks

__all__ = [
    "SIZE",
    "Device",
    "Problem",
    "device_label",
    "place_html",
    "problem_of_error",
    "progress_text",
    "way_html",
]

# GB; what browsers say of their models, since the interface tells only the part that has come
SIZE = 4
Problem = Literal[
    "unavailable", "policyFrame", "policySite", "space", "refused", "network", "stopped", "failed"
]


@dataclass(frozen=True, slots=True)
class Device:
    """What is known of the model. `problem` is why it cannot be used, `words` the browser's own.

    `loading` is the part that has come while it is downloaded, `None` otherwise. `there`: nothing
    has to be downloaded. `known`: the browser was asked. `listed`: it lists the page's language.
    """

    known: bool = False
    there: bool = False
    loading: float | None = None
    problem: Problem | None = None
    words: str = ""
    listed: bool = True


def problem_of_error(kind: str, words: str) -> Problem:
    """Return what a failed download means; `kind` is the name of its `DOMException`."""
    if kind == "QuotaExceededError" or "enough space" in words:
        return "space"
    problems: dict[str, Problem] = {
        "AbortError": "stopped",
        "NetworkError": "network",
        "NotAllowedError": "refused",
        "NotSupportedError": "unavailable",
    }
    return problems.get(kind, "failed")


def device_label(strings: Strings, device: Device, *, on: bool) -> str:
    """Return the label of the button in the panel."""
    if on:
        return strings("device.back")
    return strings("device.use") if device.there else strings("device.useSize", size=SIZE)


def way_html(strings: Strings, device: Device) -> Html | None:
    """Return it as a way to go on where an endpoint wants to be paid; `None` if it is none."""
    if not device.known or device.problem in ("unavailable", "policyFrame", "policySite"):
        return None
    text = strings("offer.deviceThere" if device.there else "offer.device", size=SIZE)
    label = device_label(strings, device, on=False)
    place = h("div", {"data-device": ""}, place_html(strings, device))
    return h("li", {}, h("p", {}, text), button(label, "own-model"), place)


def place_html(strings: Strings, device: Device) -> Html:
    """Return what stands below its button: the progress, a problem, or nothing."""
    if device.problem:
        stays = strings("device.searchStays")
        sentence = f"{strings(f'device.{device.problem}', size=SIZE)} {stays}"
        words = as_it_looks(device.words)
        said = strings("device.says", words=words) if words else ""
        return h(
            "p", {"class": "note told", "role": "alert"}, " ".join(filter(None, (sentence, said)))
        )
    if device.loading is None:
        return fragment()
    percent = int(device.loading * 100)
    bar = h(
        "progress", {"max": 100, "value": percent, "aria-label": strings("device.progress")}, ""
    )
    text = progress_text(strings, device.loading)
    stop = button(strings("device.stop"), "device-stop", "link")
    return fragment(h("p", {"class": "coming"}, bar, " ", h("span", {}, text)), stop)


def progress_text(strings: Strings, loaded: float) -> str:
    """Return how much has come, in percent and in bytes; the bytes are not exact."""
    if (percent := int(loaded * 100)) >= 100:
        return strings("device.starting")
    come = f"{loaded * SIZE:.1f}".replace(".", strings("format.decimal"))
    return strings("device.loading", percent=percent, come=come, size=SIZE)
