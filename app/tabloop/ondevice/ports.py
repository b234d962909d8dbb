"""What is needed of the browser's language model. Rule: these are the terms of the Prompt API.

https://webmachinelearning.github.io/prompt-api/
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

__all__ = ["LanguageModel", "Prompt", "PromptError", "Session"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One message of a session; only its first one may be the system's."""

    role: Literal["system", "user", "assistant"]
    content: str


class PromptError(Exception):
    """The browser refused something, or failed. `kind` is the name of its `DOMException`.

    "DataError": what it gave is not what the specification says.
    """

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


class Session(Protocol):
    """One session. Sizes are in the browser's own unit, which is roughly a token."""

    @property
    def context(self) -> float:
        """How much fits (`contextWindow`, in older browsers `inputQuota`); may be infinite."""
        ...

    @property
    def used(self) -> float:
        """How much of it is taken (`contextUsage`, in older browsers `inputUsage`)."""
        ...

    @property
    def overflowed(self) -> bool:
        """Whether the browser has dropped the oldest messages by itself."""
        ...

    async def measure(self, prompts: Sequence[Prompt]) -> float:
        """Return how much of the context these would take. Raises `PromptError`."""
        ...

    def prompt(
        self, prompts: Sequence[Prompt], constraint: Mapping[str, Any] | None
    ) -> AsyncIterator[object]:
        """Yield the pieces of a reply that fits the JSON schema `constraint`; each should be text.

        Closing the iterator aborts the reply. Raises `PromptError`.
        """
        ...

    async def clone(self) -> "Session":
        """Return a session that continues this one. Raises `PromptError`."""
        ...

    def destroy(self) -> None:
        """Give its memory back. Idempotent."""
        ...


class LanguageModel(Protocol):
    """The browser's model, which is there already."""

    async def create(self, prompts: Sequence[Prompt]) -> Session:
        """Open a session that begins with these. Raises `PromptError`."""
        ...
