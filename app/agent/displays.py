"""Things that a tool gives to the page beside its result. Rule: the model never reads them."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Chart", "LabelKind", "NoPicture", "Picture", "Series"]

LabelKind = Literal["text", "day", "week", "month"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that was made. `prompt` is the final one, `width` and `height` are in pixels.

    `model` is the service's word for what drew it; `mint_failed`: its NFT could not be made.
    """

    url: str
    prompt: str
    width: int
    height: int
    model: str = ""
    mint_failed: bool = False


@dataclass(frozen=True, slots=True)
class NoPicture:
    """Why a picture that a person confirmed is not there.

    `error` is what went wrong with paying for it, else the service answered with `status` (0: it
    did not answer) and these `words`. `at_most` is what that may have cost, in millionths of USDC.
    """

    host: str
    status: int = 0
    words: str = ""
    error: Exception | None = None
    at_most: int = 0


@dataclass(frozen=True, slots=True)
class Series:
    """One row of numbers, as long as the chart's labels.

    `name` is a key of the page's strings (`chart.visits`); `None` is a number that isn't known.
    """

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Numbers that are better looked at than read.

    `title`, `heading` (of the labels: "Party") and `unit` ("minutes") are keys of the page's
    strings. `labels` are shown as they are (`text`: a party, a path), or are ISO dates (`day`, the
    Monday of a `week`, "2026-09" for a `month`). `bars` lie, `columns` stand (time), `stacked`
    bars add their series up.
    """

    kind: Literal["bars", "columns", "stacked"]
    title: str
    heading: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    unit: str
    label_kind: LabelKind = "text"
