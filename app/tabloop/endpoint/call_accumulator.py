"""Builds calls from the deltas of a stream.

Rule: the index says to which call a delta belongs. If it is missing or wrong, the id decides, and
without a usable id a name that follows complete arguments starts a new call.
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
        if name.startswith(self.name):  # the first piece, or the whole name again
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
        self.damaged = False  # a piece came that belongs to no call

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, item: JsonObject) -> None:
        """Add one entry of a delta's `tool_calls`."""
        function = function_of(item)
        call_id, name = as_text(item.get("id")), as_text(function.get("name"))
        given = function.get("arguments")
        index = item.get("index")
        number = index if isinstance(index, int) else None
        call = self._find(number, call_id)
        if call is None and not call_id and not name:
            # no id, no name, an index that no call has: it can only belong to a single open call
            if len(self._calls) != 1:
                self.damaged = True
                return
            call = self._calls[0]
        if call is None or _starts_new_call(call, call_id, name, given is not None, number):
            call = _Call()
            self._calls.append(call)
        if number is not None:
            self._by_index[number] = call
        if isinstance(given, dict):
            call.pieces.clear()  # an object always has all arguments
        call.add(call_id, name, arguments_text(given))

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls so far, in the order of their first deltas, without nameless ones."""
        return tuple(
            ToolCall(call.id, call.name, _arguments(call.arguments))
            for call in self._calls
            if call.name.strip()
        )

    def _find(self, number: int | None, call_id: str) -> _Call | None:
        if number is not None:
            return self._by_index.get(number)
        known = [call for call in self._calls if call_id and call.id == call_id]
        return (known or self._calls or [None])[-1]


def _starts_new_call(
    call: _Call, call_id: str, name: str, has_arguments: bool, number: int | None
) -> bool:
    """Whether this delta starts a new call, although it was assigned to `call`."""
    if call_id and call.id and call_id != call.id:
        return bool(name) or number is None  # some servers send a new id in each delta
    if call_id and call_id == call.id:
        return False
    return bool(name) and has_arguments and call.whole


def _arguments(text: str) -> str:
    """Return the arguments; some servers send `{}` before the real ones."""
    rest = text.strip().removeprefix("{}").strip()
    if rest != text.strip() and parsed(text) is None and parsed(rest) is not None:
        return rest
    return text if text.strip() else "{}"
