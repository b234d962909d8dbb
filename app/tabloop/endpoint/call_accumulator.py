"""Calls put together from deltas.

Rule: the index says which call a delta belongs to; where it is missing or lies, the id does, and
where both do, a name that comes after whole arguments begins another call.
"""

from dataclasses import dataclass, field

from tabloop.agent.messages import ToolCall
from tabloop.core.json_text import JsonObject, as_text, parsed
from tabloop.endpoint.reply_parts import arguments_text, function_of

__all__ = ["CallAccumulator"]


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list[str])  # joined rarely: there may be thousands

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)

    @property
    def whole(self) -> bool:
        text = self.arguments
        value = parsed(text) if text.rstrip().endswith("}") else None
        return value is not None and isinstance(value[0], dict)

    def add(self, call_id: str, name: str, arguments: str) -> None:
        self.id = self.id or call_id
        if name.startswith(self.name):  # the first piece, or all of it once more
            self.name = name
        elif not self.pieces:
            self.name += name
        if arguments:
            self.pieces.append(arguments)


class CallAccumulator:
    """The calls of one streamed reply."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, item: JsonObject) -> None:
        """Take one entry of a delta's `tool_calls`."""
        function = function_of(item)
        call_id, name = as_text(item.get("id")), as_text(function.get("name"))
        given = function.get("arguments")
        index = item.get("index")
        number = index if isinstance(index, int) else None
        call = self._meant(number, call_id)
        last = self._calls[-1] if self._calls else None
        if call is None and last and not (call_id or name or last.whole):
            call = last  # some servers count the pieces
        if call is None or _another(call, call_id, name, given is not None, number):
            call = _Call()
            self._calls.append(call)
        if number is not None:
            self._by_index[number] = call
        if isinstance(given, dict):
            call.pieces.clear()  # an object is always all of them
        call.add(call_id, name, arguments_text(given))

    def calls(self) -> tuple[ToolCall, ...]:
        """Return them as they stand, in the order in which they began; nameless ones are none."""
        return tuple(
            ToolCall(call.id, call.name, _arguments(call.arguments))
            for call in self._calls
            if call.name.strip()
        )

    def _meant(self, number: int | None, call_id: str) -> _Call | None:
        if number is not None:
            return self._by_index.get(number)
        known = [call for call in self._calls if call_id and call.id == call_id]
        return (known or self._calls or [None])[-1]


def _another(call: _Call, call_id: str, name: str, has_arguments: bool, number: int | None) -> bool:
    """Whether this delta begins a call of its own, although it seems to go on with `call`."""
    if call_id and call.id and call_id != call.id:
        return bool(name) or number is None  # some servers make up a new id for each delta
    if call_id and call_id == call.id:
        return False
    return bool(name) and has_arguments and call.whole


def _arguments(text: str) -> str:
    """Some servers send `{}` first and the real ones after it."""
    rest = text.strip().removeprefix("{}").strip()
    if rest != text.strip() and parsed(text) is None and parsed(rest) is not None:
        return rest
    return text if text.strip() else "{}"
