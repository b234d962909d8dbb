"""A model that plays a script, for tests of an agent and of its tools.

Rule: a run that asks more often than the script says fails; `finish` fails where a step is unused.
"""

import json
from collections.abc import AsyncIterator, Sequence
from typing import TypeAlias

from tabloop.agent.messages import AssistantMessage, Message, ToolCall
from tabloop.agent.ports import ModelReply, ModelRequest, ReplyPart

__all__ = ["ScriptedModel", "Step", "calls"]

Step: TypeAlias = str | ModelReply | Exception | Sequence[ReplyPart]


def calls(name: str, call_id: str = "", /, **arguments: object) -> ModelReply:
    """Return a reply with one call; a blank `call_id` is replaced by the loop."""
    call = ToolCall(call_id, name, json.dumps(arguments))
    return ModelReply(AssistantMessage(None, (call,)), "tool_calls")


class ScriptedModel:
    """Plays one step for each hop; `requests` holds what it was asked.

    A step is a text, a whole reply, an exception that is raised, or the parts of a stream.
    """

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.requests: list[ModelRequest] = []

    @property
    def asked(self) -> list[tuple[Message, ...]]:
        """The messages of each hop."""
        return [request.messages for request in self.requests]

    @property
    def offered(self) -> list[list[str]]:
        """The names of the tools of each hop."""
        return [[tool.name for tool in request.tools] for request in self.requests]

    async def reply(self, request: ModelRequest) -> AsyncIterator[ReplyPart]:
        """Play the next step. Raises `AssertionError` if none is left."""
        self.requests.append(request)
        if not self.steps:
            raise AssertionError("the model was asked more often than the script says")
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        if isinstance(step, str):
            step = ModelReply(AssistantMessage(step))
        for part in [step] if isinstance(step, ModelReply) else step:
            yield part

    def finish(self) -> None:
        """Raise `AssertionError` if a step was not used."""
        if self.steps:
            raise AssertionError(f"the model was not asked for these steps: {self.steps}")
