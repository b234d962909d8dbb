"""The questions, read from `questions.toml`. Rule: a question that is not complete is refused."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias, get_args

__all__ = ["LANGUAGES", "Language", "Question", "questions", "sampled"]

Language: TypeAlias = Literal["de", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
SEED = 1


@dataclass(frozen=True, slots=True)
class Question:
    """One question; `questions.toml` says what each field is.

    `arguments` is `None` where any will do, `tool` blank where nothing is to be looked up.
    """

    id: str
    kind: str
    ask: str
    sources: bool
    tool: str = ""
    arguments: Mapping[str, str] | None = None
    call: Mapping[str, str] = field(default_factory=dict[str, str])
    then: Mapping[str, str] = field(default_factory=dict[str, str])
    facts: tuple[str, ...] = ()
    in_record: bool = True
    before: tuple[tuple[str, str], ...] = ()
    site: Literal["bundestag", "museum"] = "bundestag"

    @property
    def language(self) -> Language:
        """The language of the question, in which the answer must be."""
        return "de" if self.id.endswith("-de") else "en"

    @property
    def whole_call(self) -> Mapping[str, str]:
        """Arguments with which the call can be made as they are."""
        return self.call or self.arguments or {}


def questions() -> list[Question]:
    """Return all questions in the order of the file. Raises `TypeError` for an unknown field."""
    text = Path(__file__).with_name("questions.toml").read_text("utf-8")
    return [_question(table) for table in tomllib.loads(text)["question"]]


def _question(table: Mapping[str, Any]) -> Question:
    values = dict(table)
    values["facts"] = tuple(table.get("facts", ()))
    values["before"] = tuple((asked, answer) for asked, answer in table.get("before", ()))
    return Question(**values)


def sampled(asked: Sequence[Question], count: int) -> list[Question]:
    """Return `count` questions, as many of each language and kind as possible, always the same."""
    groups: dict[tuple[str, str], list[Question]] = {}
    for question in Random(SEED).sample(asked, len(asked)):
        groups.setdefault((question.kind, question.language), []).append(question)
    chosen: list[Question] = []
    while len(chosen) < min(count, len(asked)):
        chosen += [group.pop() for group in groups.values() if group]
    kept = chosen[:count]
    return [question for question in asked if question in kept]
