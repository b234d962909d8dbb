"""What a tool gives to the page, in addition to its result. Rule: the model never reads it."""

from dataclasses import dataclass
from typing import Literal

from tabloop.core.errors import AgentError
from tabloop.core.phrases import Text

__all__ = ["Chart", "LabelKind", "NoPicture", "Note", "Picture", "Series"]

LabelKind = Literal["text", "day", "week", "month"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that was made. `prompt` is the final one, `width` and `height` are in pixels.

    `model` is the model's name as the service gives it; `mint_failed`: the NFT was not created.
    """

    url: str
    prompt: str
    width: int
    height: int
    model: str = ""
    mint_failed: bool = False


@dataclass(frozen=True, slots=True)
class NoPicture:
    """Why there is no picture, although a person confirmed it.

    `error` is set if the payment failed, or the key could not be sent. Otherwise the service
    answered with `status` (0: not at all) and the text `words`. `max_cost` is the most that this
    can have cost, in millionths of USDC. `by_key`: a service that takes keys, not payments.
    """

    host: str
    status: int = 0
    words: str = ""
    error: AgentError | None = None
    max_cost: int = 0
    by_key: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """One row of numbers, one for each label of the chart; `None` is an unknown number."""

    name: Text
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence below a chart; a `Phrase` may have the placeholder `n`."""

    text: Text
    n: int = 0


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, which the page draws.

    `bars` are horizontal, `columns` vertical (for time), `stacked` horizontal bars that add up
    their series. Each text is plain, shown unchanged, or a `Phrase`: `title`, `heading` (of the
    labels: "Party"), `unit` ("minutes"). `labels` are texts (`text`: a party, a path) or ISO dates
    (`day`, the Monday of a `week`, "2026-09" for a `month`). `subject` distinguishes charts of the
    same title: an ISO date or plain text. `asked_by` are parts of folded words: a question that has
    one of them asks for this chart, which then stands first.

    Raises:
        ValueError: A series is not as long as the labels, or a stacked bar has a negative number.
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
    asked_by: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse numbers that cannot be drawn correctly; see the class for what it raises."""
        for series in self.series:
            if len(series.values) != len(self.labels):
                counts = f"{len(series.values)} numbers for {len(self.labels)} labels"
                raise ValueError(f"The series {series.name} has {counts}.")
            negative = any(value is not None and value < 0 for value in series.values)
            if negative and self.kind == "stacked":
                reason = "a part of a sum cannot be below zero"
                raise ValueError(f"The series {series.name} has a negative number: {reason}.")
