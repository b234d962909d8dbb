"""Builds calls from the deltas of a stream.

Rule: the index says to which call a delta belongs. If it is missing or wrong, the id decides, and
without a usable id a name that follows complete arguments starts a new call.
"""

import re
from dataclasses import dataclass, field

from tabloop.agent.messages import ToolCall
from tabloop.core.json_text import JsonObject, as_text, parsed
from tabloop.endpoint.echo import call_fields, merge
from tabloop.endpoint.halves import whole_characters
from tabloop.endpoint.reply_parts import arguments_text, function_of

__all__ = ["MAX_CALLS", "CallAccumulator"]


MAX_CALLS = 128  # of one reply; no useful one has more
_MARK = re.compile(r'\\.?|["{}]', re.DOTALL)


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    fields: list[JsonObject] = field(default_factory=list[JsonObject])  # see `echo`
    pieces: list[str] = field(default_factory=list[str])  # joined once: there may be thousands
    depth: int = 0  # braces that are open
    in_string: bool = False
    escapes: bool = False  # the next character belongs to a backslash in the piece before

    @property
    def begun(self) -> bool:
        """Whether there are arguments other than the `{}` that some servers send first."""
        return len(self.pieces) > 1 or self.pieces not in ([], ["{}"])

    @property
    def whole(self) -> bool:
        """Whether the arguments so far are closed; they are counted, since parsing costs more."""
        return bool(self.pieces) and not (self.depth or self.in_string)

    def add(self, call_id: str, name: str, arguments: str) -> None:
        self.id = self.id or call_id
        if name.startswith(self.name):  # the first piece, or the whole name again
            self.name = name
        elif not self.pieces:
            self.name += name
        if arguments:
            self.pieces.append(arguments)
            self._count(arguments)

    def replace(self) -> None:
        """Forget the arguments, because all of them come again."""
        self.pieces, self.depth, self.in_string, self.escapes = [], 0, False, False

    def _count(self, piece: str) -> None:
        start = 1 if self.escapes else 0
        self.escapes = False
        for mark in _MARK.finditer(piece, start):
            match mark[0]:
                case '"':
                    self.in_string = not self.in_string
                case "{":
                    self.depth += not self.in_string
                case "}":
                    self.depth -= not self.in_string
                case escape:
                    self.escapes = len(escape) == 1


class CallAccumulator:
    """The calls of one streamed reply."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}
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
            opened = [call for call in self._calls if not (call.whole and call.begun)]
            if len(opened) != 1:
                self.damaged = True
                return
            call = opened[0]
        if call is None or _starts_new_call(call, call_id, name, given is not None, number):
            if len(self._calls) == MAX_CALLS:
                self.damaged = True
                return
            call = _Call()
            self._calls.append(call)
        if number is not None:
            self._by_index[number] = call
        if isinstance(given, dict):
            call.replace()  # an object always has all arguments
        call.add(call_id, name, arguments_text(given))
        if fields := call_fields(item):
            call.fields.append(fields)
        self._by_id[call.id] = call

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls so far, in the order of their first deltas, without nameless ones."""
        return tuple(
            ToolCall(call.id, call.name, _arguments(whole_characters("".join(call.pieces))))
            for call in self._calls
            if call.name.strip()
        )

    def echo(self) -> list[JsonObject]:
        """Return, for each of `calls`, the fields that nothing here reads."""
        return [merge(call.fields) for call in self._calls if call.name.strip()]

    def _find(self, number: int | None, call_id: str) -> _Call | None:
        if number is not None:
            return self._by_index.get(number)
        last = self._calls[-1] if self._calls else None
        return self._by_id.get(call_id, last) if call_id else last


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
