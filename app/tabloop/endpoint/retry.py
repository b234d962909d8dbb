"""Decides about retries after an endpoint has refused a request.

Rule: a request may cost money, so only one that was refused with 429 is repeated unchanged. Any
other is retried only in a form that avoids the refusal, and each form once.
"""

import re
from dataclasses import replace

from tabloop.agent.errors import ModelError
from tabloop.agent.ports import ModelReply, ModelRequest, ReplyNote, Usage
from tabloop.endpoint.capabilities import EndpointCapabilities
from tabloop.endpoint.trimming import shortened, size_of, target_size

__all__ = ["MAX_WAIT", "WAITS", "RetryState"]

WAITS = (2.0, 6.0)  # seconds before the second and third try after a 429
MAX_WAIT = 20.0  # seconds, whatever Retry-After asks for

_ABOUT_USAGE = r"(?i)stream_options|include_usage"
_ABOUT_STREAM = r"(?i)\bstream"
_REFUSAL_STATUS = (400, 405, 415, 422, 500, 501)


class RetryState:
    """The request for one reply in its current form, and which retries are left."""

    def __init__(
        self, request: ModelRequest, capabilities: EndpointCapabilities, *, stream: bool
    ) -> None:
        self.request = request
        self.stream = self._wants_stream = stream and capabilities.streams
        self.usage = capabilities.usage_in_stream
        self._capabilities = capabilities
        self._waits = iter(WAITS)
        self._shortened = self._retried = False
        self._usage_before: Usage | None = None
        limit = capabilities.refused_size
        if limit is not None and size_of(request.messages) >= limit:
            self._shorten(capabilities.target_size)  # it would be refused too

    def prepare_retry(self, error: ModelError) -> float:
        """Change the request for a retry after this error, which is raised if there is none.

        Returns:
            How many seconds to wait before the retry.
        """
        if error.code == "rate_limited":
            wait = next(self._waits, None)
            if wait is None:
                raise error
            # NaN is never the greater one
            return min(max(wait, _seconds(error.facts.get("retry_after", ""))), MAX_WAIT)
        if error.code in ("context_too_long", "too_large"):
            size = size_of(self.request.messages)
            target = target_size(size, error.detail)
            if self._shortened or not self._shorten(target):
                raise error
            self._capabilities.refused_size, self._capabilities.target_size = size, target
        elif not self._simplify(error):
            raise error
        return 0.0

    def note_success(self) -> None:
        """Store what the accepted request shows about the endpoint."""
        if self._wants_stream:
            self._capabilities.streams = self.stream
        if self.stream:
            self._capabilities.usage_in_stream = self.usage

    def complete_reply(self, reply: ModelReply, *, host: str) -> ModelReply | None:
        """Return the reply with the usage of all tries.

        Returns:
            The reply; `None` to retry, if the endpoint announced calls and sent none.

        Raises:
            ModelError: It did so twice.
        """
        usage = _sum(self._usage_before, reply.usage)
        if not _announced_only(reply):
            notes: tuple[ReplyNote, ...] = ("shortened",) if self._shortened else ()
            return replace(reply, usage=usage, notes=notes + reply.notes)
        if self._retried:
            raise ModelError("no_reply", host=host)
        self._retried, self._usage_before = True, usage
        return None

    def _shorten(self, target: int) -> bool:
        shorter = shortened(self.request.messages, target)
        if shorter is None:
            return False
        self.request = replace(self.request, messages=shorter)
        self._shortened = True
        return True

    def _simplify(self, error: ModelError) -> bool:
        """Remove a field that only a streaming request has; False if there is none to remove."""
        if not self.stream or error.status not in _REFUSAL_STATUS:
            return False
        about_stream = re.search(_ABOUT_STREAM, error.detail)
        if error.code != "bad_request" and not about_stream:
            return False
        if self.usage and (not about_stream or re.search(_ABOUT_USAGE, error.detail)):
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
    """Return seconds; 0 if the header is missing, hidden by CORS, or a date."""
    try:
        return float(retry_after)
    except ValueError:
        return 0.0


def _sum(first: Usage | None, second: Usage | None) -> Usage | None:
    if first is None or second is None:
        return first or second
    return Usage(
        first.prompt_tokens + second.prompt_tokens,
        first.completion_tokens + second.completion_tokens,
    )
