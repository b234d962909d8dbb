"""Things that a tool gives to the page beside its result. Rule: the model never reads them."""

from dataclasses import dataclass
from typing import Literal

from tabloop.core.errors import AgentError
from tabloop.core.phrases import Text

__all__ = ["Chart", "LabelKind", "NoPicture", "Note", "Picture", "Series"]

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
    did not answer) and these `words`. `max_cost` is what that may have cost, in millionths of USDC.
    """

    host: str
    status: int = 0
    words: str = ""
    error: AgentError | None = None
    max_cost: int = 0


@dataclass(frozen=True, slots=True)
class Series:
    """One row of numbers, as long as the chart's labels.

    `None` is a number that isn't known.
    """

    name: Text
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence below a chart; a `Phrase` may have the blank `n`."""

    text: Text
    n: int = 0


@dataclass(frozen=True, slots=True)
class Chart:
    """Numbers that are better looked at than read.

    Words are plain text, shown as it is, or a `Phrase` in every language of the page: `title`,
    `heading` (of the labels: "Party"), `unit` ("minutes"), and those labels that are no data. Other
    `labels` are shown as they are (`text`: a party, a path), or are ISO dates (`day`, the Monday of
    a `week`, "2026-09" for a `month`). `bars` lie, `columns` stand (time), `stacked` bars add their
    series up. `subject` tells one chart from the next of the same title: an ISO date or plain text.

    Raises `ValueError` for a series that is not as long as the labels, and for a negative number in
    `stacked` bars.
    """

    kind: Literal["bars", "columns", "stacked"]
    title: Text
    heading: Text
    labels: tuple[Text, ...]
    series: tuple[Series, ...]
    unit: Text
    label_kind: LabelKind = "text"
    subject: str = ""
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what would be drawn wrong: a number beside the wrong label, a part below zero."""
        for series in self.series:
            if len(series.values) != len(self.labels):
                counts = f"{len(series.values)} numbers for {len(self.labels)} labels"
                raise ValueError(f"The series {series.name} has {counts}.")
            negative = any(value is not None and value < 0 for value in series.values)
            if negative and self.kind == "stacked":
                reason = "a part of a sum cannot be below zero"
                raise ValueError(f"The series {series.name} has a negative number: {reason}.")
