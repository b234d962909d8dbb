"""What may be asked once more after an endpoint has refused, and how.

Rule: a request may cost money, so nothing is repeated as it was but what was refused with 429; all
else is asked again only in a form that mends the refusal, and each form once.
"""

import re
from dataclasses import replace

from tabloop.agent.errors import ModelError
from tabloop.agent.ports import ModelReply, ModelRequest, ReplyNote, Usage
from tabloop.endpoint.capabilities import EndpointCapabilities
from tabloop.endpoint.trimming import bearable_size, shortened, size_of

__all__ = ["LONGEST_WAIT", "WAITS", "Asking"]

WAITS = (2.0, 6.0)  # seconds before the second and third try of a 429
LONGEST_WAIT = 20.0  # seconds, whatever Retry-After asks for

_OF_USAGE = r"(?i)stream_options|include_usage"
_OF_STREAM = r"(?i)\bstream"
_REFUSING = (400, 405, 415, 422, 500, 501)


class Asking:
    """One reply that is asked for: the request in its present form, and what is left to try."""

    def __init__(
        self, request: ModelRequest, capabilities: EndpointCapabilities, *, stream: bool
    ) -> None:
        self.request = request
        self.stream = self._wants_stream = stream and capabilities.streams
        self.usage = capabilities.usage_in_stream
        self._capabilities = capabilities
        self._waits = iter(WAITS)
        self._shortened = self._asked_twice = False
        self._spent: Usage | None = None
        limit = capabilities.too_long
        if limit is not None and size_of(request.messages) >= limit:
            self._shorten(capabilities.bearable)  # it would be refused again

    def after(self, error: ModelError) -> float:
        """Change what the error asks for; return for how many seconds to wait before asking again.

        Raises the error when nothing is left to try.
        """
        if error.code == "rate_limited":
            wait = next(self._waits, None)
            if wait is None:
                raise error
            return min(max(wait, _seconds(error.facts.get("retry_after", ""))), LONGEST_WAIT)
        if error.code in ("context_too_long", "too_large"):
            size = size_of(self.request.messages)
            target = bearable_size(size, error.detail)
            if self._shortened or not self._shorten(target):
                raise error
            self._capabilities.too_long, self._capabilities.bearable = size, target
        elif not self._simplify(error):
            raise error
        return 0.0

    def accepted(self) -> None:
        """Note what the form that was accepted has shown."""
        if self._wants_stream:
            self._capabilities.streams = self.stream
        if self.stream:
            self._capabilities.usage_in_stream = self.usage

    def enough(self, reply: ModelReply, *, host: str) -> ModelReply | None:
        """Return the reply to hand on; `None` when it announced calls and sent none: ask again.

        Raises `ModelError` when it did so twice.
        """
        usage = _sum(self._spent, reply.usage)
        if not _announced_only(reply):
            notes: tuple[ReplyNote, ...] = ("shortened",) if self._shortened else ()
            return replace(reply, usage=usage, notes=notes + reply.notes)
        if self._asked_twice:
            raise ModelError("no_reply", host=host)
        self._asked_twice, self._spent = True, usage
        return None

    def _shorten(self, target: int) -> bool:
        shorter = shortened(self.request.messages, target)
        if shorter is None:
            return False
        self.request = replace(self.request, messages=shorter)
        self._shortened = True
        return True

    def _simplify(self, error: ModelError) -> bool:
        """Leave out what a streaming request has and a plain one has not."""
        if not self.stream or error.status not in _REFUSING:
            return False
        of_stream = re.search(_OF_STREAM, error.detail)
        if error.code != "bad_request" and not of_stream:
            return False
        if self.usage and (not of_stream or re.search(_OF_USAGE, error.detail)):
            self.usage = False
        else:
            self.stream = False
        return True


def _announced_only(reply: ModelReply) -> bool:
    return (
        reply.finish_reason == "tool_calls"
        and not reply.message.tool_calls
        and not reply.message.content
    )


def _seconds(retry_after: str) -> float:
    """Return seconds; 0 where the header is missing, hidden by CORS, or a date."""
    try:
        seconds = float(retry_after)
    except ValueError:
        return 0.0
    return seconds if seconds > 0 else 0.0  # not a number is not greater either


def _sum(first: Usage | None, second: Usage | None) -> Usage | None:
    if first is None or second is None:
        return first or second
    return Usage(
        first.prompt_tokens + second.prompt_tokens,
        first.completion_tokens + second.completion_tokens,
    )
