"""A model that plays the turns of a file, so that any conversation can be seen in the page.

Rule: a file that cannot be played is refused at the start, by a sentence that names the turn.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from tabloop.agent.messages import AssistantMessage, ToolCall
from tabloop.agent.ports import ModelReply, ModelRequest, ReplyPart
from tabloop.core.json_text import compact

__all__ = ["ScriptFile"]

OVER = "The script has no further turn. It begins again with the next message."


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Call(_Strict):
    name: Annotated[str, Field(min_length=1)]
    arguments: dict[str, Any] = {}


class _Turn(_Strict):
    text: str = ""
    calls: list[_Call] = []

    def reply(self) -> ModelReply:
        calls = tuple(ToolCall("", call.name, compact(call.arguments)) for call in self.calls)
        message = AssistantMessage(self.text or None, calls)
        return ModelReply(message, "tool_calls" if calls else "stop")


class ScriptFile:
    """Plays one turn for each request: a text, or `{"text", "calls": [{"name", "arguments"}]}`.

    Raises:
        ValueError: The file is no JSON list of such turns.
        OSError: It cannot be read.
    """

    def __init__(self, path: Path) -> None:
        try:
            turns = TypeAdapter(list[str | _Turn]).validate_json(path.read_bytes())
        except ValidationError as error:
            last = error.errors()[-1]  # those before are about the other kinds of a turn
            place = f"turn {int(last['loc'][0]) + 1}" if last["loc"] else "the file"
            raise ValueError(f"{path}: {place}: {last['msg']}") from None
        self._turns = [_Turn(text=one) if isinstance(one, str) else one for one in turns]
        self._played = 0

    async def reply(self, request: ModelRequest) -> AsyncIterator[ReplyPart]:
        """Yield the next turn; after the last one a sentence, and then the first again."""
        del request  # what is asked changes nothing
        turn = (*self._turns, _Turn(text=OVER))[self._played]
        self._played = (self._played + 1) % (len(self._turns) + 1)
        yield turn.reply()
