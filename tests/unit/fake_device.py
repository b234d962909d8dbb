"""A language model of the browser, behind its port: sizes are characters, replies are scripted."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from tabloop.ondevice.ports import Prompt, PromptError

__all__ = ["FakeBrowser", "FakeSession"]

Step = str | PromptError | tuple[str, PromptError] | list[object]


def size(prompts: Sequence[Prompt]) -> float:
    """Return the size of messages in the fake's own unit."""
    return float(sum(len(prompt.content) for prompt in prompts))


class FakeBrowser:
    """Replies by a script for all sessions.

    A step is a reply, an error, or both in this order, or the pieces of a reply, whatever they are.
    """

    def __init__(self, *steps: Step, context: float = 100_000, piece: int = 3) -> None:
        self.steps = list(steps)
        self.context = context
        self.piece = piece
        self.sessions: list[FakeSession] = []
        self.asked: list[list[Prompt]] = []
        self.constraints: list[Mapping[str, Any] | None] = []
        self.aborted = 0
        self.fails: list[PromptError] = []  # of the next calls of `create` or `clone`

    @property
    def open(self) -> int:
        """How many sessions hold memory."""
        return sum(not session.destroyed for session in self.sessions)

    def instructions(self, number: int = -1) -> str:
        """Return the system text of a session."""
        return self.sessions[number].read[0].content

    async def create(self, prompts: Sequence[Prompt]) -> "FakeSession":
        """See the port; too long a beginning is refused."""
        if self.fails:
            raise self.fails.pop(0)
        if size(prompts) > self.context:
            raise PromptError("QuotaExceededError", "too long")
        self.sessions.append(FakeSession(self, [*prompts]))
        return self.sessions[-1]


class FakeSession:
    """A session that remembers what it has read."""

    def __init__(self, browser: FakeBrowser, read: list[Prompt]) -> None:
        self.browser = browser
        self.read = read
        self.destroyed = self.overflowed = False

    @property
    def context(self) -> float:
        """See the port."""
        return self.browser.context

    @property
    def used(self) -> float:
        """See the port."""
        return size(self.read)

    async def measure(self, prompts: Sequence[Prompt]) -> float:
        """See the port."""
        return size(prompts)

    async def prompt(
        self, prompts: Sequence[Prompt], constraint: Mapping[str, Any] | None
    ) -> AsyncIterator[object]:
        """See the port."""
        if self.destroyed:
            raise PromptError("InvalidStateError", "destroyed")
        if self.used + size(prompts) > self.context:
            raise PromptError("QuotaExceededError", "too long")
        self.browser.asked.append([*prompts])
        self.browser.constraints.append(constraint)
        step = self.browser.steps.pop(0)
        if isinstance(step, list):
            for piece in step:
                yield piece
            return
        text, error = step if isinstance(step, tuple) else (step, None)
        if isinstance(text, PromptError):
            raise text
        done = False
        try:
            for start in range(0, len(text), self.browser.piece):
                yield text[start : start + self.browser.piece]
            done = True
        finally:
            self.browser.aborted += not done
        if error:
            raise error
        self.read += [*prompts, Prompt("assistant", text)]

    async def clone(self) -> "FakeSession":
        """See the port."""
        if self.browser.fails:
            raise self.browser.fails.pop(0)
        if self.destroyed:
            raise PromptError("InvalidStateError", "destroyed")
        self.browser.sessions.append(FakeSession(self.browser, [*self.read]))
        return self.browser.sessions[-1]

    def destroy(self) -> None:
        """See the port."""
        self.destroyed = True
