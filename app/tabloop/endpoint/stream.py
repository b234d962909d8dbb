"""Reads a streamed chat completion: text at once, everything else when it is complete.

Rule: a reply is complete after a finish reason or `[DONE]`; a stream that ends without them is cut
off, whatever it contained. What is longer than `MAX_REPLY` is read no further.
"""

from tabloop.agent.errors import ModelError
from tabloop.agent.limits import MAX_REPLY
from tabloop.agent.messages import AssistantMessage
from tabloop.agent.ports import ModelReply, ReplyNote, TextDelta, Usage
from tabloop.core.json_text import Json, JsonObject, as_object, as_text, parsed
from tabloop.endpoint.call_accumulator import CallAccumulator
from tabloop.endpoint.echo import Echo, merge, message_fields
from tabloop.endpoint.errors import error_in_body
from tabloop.endpoint.halves import SplitCharacters, marked_halves, whole_characters
from tabloop.endpoint.reasoning import VisibleText, without_reasoning
from tabloop.endpoint.reply_parts import (
    arguments_text,
    content_text,
    finish_reason_of,
    first_choice,
    function_of,
    is_finished,
    listed_calls,
    reason_of,
    reasoning_text,
    usage_of,
)
from tabloop.endpoint.sse import SseEvent

__all__ = ["StreamedReply", "joined"]

DONE = "[DONE]"


class StreamedReply:
    """One reply, built from its events.

    `done`: later events are ignored. `read_any`: a part of the reply has arrived.
    `opens_with_reasoning`: the text began with reasoning whose opening tag was in the prompt.
    """

    def __init__(self, *, host: str, reasoning_opened: bool) -> None:
        self._host = host
        self._text: list[str] = []
        self._split = SplitCharacters()
        self._refusal: list[str] = []
        self._reasoning: list[str] = []
        self._split_reasoning = SplitCharacters()
        self._opened = reasoning_opened
        self._visible = VisibleText(opened=reasoning_opened)
        self._calls = CallAccumulator()
        self._reason = ""
        self._index: Json = None  # of the choice that is read
        self._fields: list[JsonObject] = []  # see `echo`
        self._usage: Usage | None = None
        self._failure: ModelError | None = None
        self._shown = False
        self._damaged = False
        self._length = 0  # of text, reasoning and arguments
        self.read_any = False
        self.done = False
        self.opens_with_reasoning = False

    @property
    def answered(self) -> bool:
        """Whether the reply has ended; only its usage may follow."""
        return self.done or bool(self._reason)

    def feed(self, event: SseEvent) -> TextDelta | None:
        """Read one event and return its text; an event that does not look like JSON is ignored.

        An event that begins like JSON and is not valid JSON means that a part of the reply was
        lost; `close` notes that.

        Returns:
            New text, if any. An error is raised only by `close`, so that text of the same chunk is
            shown before it.
        """
        self.done = self.done or event.data.strip() == DONE
        if self.done:
            return None
        self._damaged |= event.damaged
        document = parsed(marked_halves(event.data))
        if document is None and event.name == "error":
            document = (event.data,)
        if document is None:
            return self._feed_lines(event.data.split("\n"))
        if error := self._error(document[0], event.name):
            self._failure, self.done = error, True
            return None
        return self._read(document[0])

    def close(self) -> ModelReply:
        """Return the whole reply. Raises `ModelError` if it is missing or incomplete."""
        if self._failure:
            raise self._failure
        if not self.answered:
            raise ModelError("cut_off" if self.read_any else "no_reply", host=self._host)
        if not self.read_any:
            raise ModelError("no_reply", host=self._host)
        calls, finished = self._calls.calls(), self._finished()
        text = without_reasoning("".join(self._text), opened=self._opened, finished=finished)
        text = text or without_reasoning("".join(self._refusal), finished=finished)
        reason = reason_of(self._reason, text=text, listed=bool(self._calls), calls=bool(calls))
        damaged = self._damaged or self._calls.damaged
        notes: tuple[ReplyNote, ...] = ("damaged",) if damaged else ()
        notes = (*notes, "endless") if self._length > MAX_REPLY else notes
        echo = Echo(merge(self._fields), self._calls.echo()).text(self._host) if calls else ""
        echo = whole_characters(echo)
        message = AssistantMessage(text or None, calls, echo)
        return ModelReply(message, reason, self._usage, notes)

    def take_reasoning(self) -> str:
        """Return the reasoning since the last call of this method."""
        found, self._reasoning = "".join(self._reasoning), []
        return found

    def flush(self) -> TextDelta | None:
        """Return text that was held back because a tag might have begun there."""
        last = self._visible.close(finished=self._finished())
        self._reasoning.append(last.reasoning)
        return self._delta(last.text, replaces=last.replaces)

    def _finished(self) -> bool:
        if not self.answered or self._failure:
            return False
        return is_finished(self._reason, calls=bool(self._calls))

    def _feed_lines(self, lines: list[str]) -> TextDelta | None:
        """Read each line as an event: some servers leave out the blank line between events."""
        if len(lines) < 2:
            self._damaged |= lines[0].lstrip().startswith(("{", "["))
            return None
        deltas = [self.feed(SseEvent(line)) for line in lines]
        return joined([delta for delta in deltas if delta])

    def _error(self, document: Json, name: str) -> ModelError | None:
        if self.answered:  # an error after the end does not matter
            return None
        if name == "error" and not as_object(document).get("error"):
            document = {"error": document or "error"}
        error = error_in_body(document, host=self._host, status=200)
        if error is None and finish_reason_of(first_choice(document)) == "error":
            return ModelError("error_body", host=self._host, status=200)
        return error

    def _read(self, document: Json) -> TextDelta | None:
        self._usage = usage_of(document) or self._usage
        choice = first_choice(document)
        if not choice or self._is_another(choice):
            return None
        self.read_any = True
        self._reason = finish_reason_of(choice) or self._reason
        delta = as_object(choice.get("delta"))
        if not delta:
            delta = self._whole_message(choice)
        if fields := message_fields(delta):
            self._fields.append(fields)
        for item in listed_calls(delta):
            self._calls.add(item)
            self._length += len(arguments_text(function_of(item).get("arguments")))
        self._refusal.append(as_text(delta.get("refusal")))
        reasoning = reasoning_text(delta)
        self._reasoning.append(self._split_reasoning.feed(reasoning))
        piece = content_text(delta.get("content")) or as_text(choice.get("text"))
        self._length += len(piece) + len(reasoning)
        if self._length > MAX_REPLY:
            self._reason, self.done = "length", True
        piece = self._split.feed(piece)
        if not piece:
            return None
        self._text.append(piece)
        shown = self._visible.feed(piece)
        self.opens_with_reasoning |= shown.replaces
        self._reasoning.append(shown.reasoning)
        return self._delta(shown.text, replaces=shown.replaces)

    def _is_another(self, choice: JsonObject) -> bool:
        """Whether this is a piece of another choice than the one that was begun."""
        index = choice.get("index")
        if not self.read_any:
            self._index = index
        return index is not None and self._index is not None and index != self._index

    def _whole_message(self, choice: JsonObject) -> JsonObject:
        """Return a message that comes instead of deltas; after deltas it only repeats them."""
        return {} if self._text or self._calls else as_object(choice.get("message"))

    def _delta(self, text: str, *, replaces: bool) -> TextDelta | None:
        replaces = replaces and self._shown
        if replaces or not self._shown:
            text = text.lstrip()
        self._shown = bool(text) or (self._shown and not replaces)
        return TextDelta(text, replaces=replaces) if text or replaces else None


def joined(deltas: list[TextDelta]) -> TextDelta | None:
    """Return one piece of text instead of several."""
    if not deltas:
        return None
    last_start = max((at for at, delta in enumerate(deltas) if delta.replaces), default=0)
    text = "".join(delta.text for delta in deltas[last_start:])
    return TextDelta(text, replaces=any(delta.replaces for delta in deltas))
