"""Decides about retries after an endpoint has refused a request.

Rule: a request may cost money, so only one that was refused with 429 is repeated unchanged. Any
other is retried only in a form that avoids the refusal, and each form once.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from tabloop.agent.errors import ModelError
from tabloop.agent.messages import AssistantMessage, Message
from tabloop.agent.ports import ModelReply, ModelRequest, ReplyNote, Usage
from tabloop.endpoint.capabilities import EndpointCapabilities
from tabloop.endpoint.echo import fields_asked_for
from tabloop.endpoint.pauses import seconds_until, time_after
from tabloop.endpoint.request import MessageForm
from tabloop.endpoint.trimming import shortened, size_of, target_size, without_calls

__all__ = ["MAX_WAIT", "WAITS", "RetryState"]

WAITS = (2.0, 6.0)  # seconds before the second and third try after a 429
MAX_WAIT = 30.0  # seconds; who asks for a longer wait is not asked again by itself

_ABOUT_USAGE = r"(?i)stream_options|include_usage"
_ABOUT_STREAM = r"(?i)\bstream"
_ABOUT_CONTENT = (
    r"(?i)\bcontent\b.{0,80}\b(string|str|null|none|array|list|required|missing|empty)\b"
)
_ABOUT_FORMAT = r"(?i)response.?format|json.?schema|schema|grammar|structured"
_REFUSAL_STATUS = (400, 405, 415, 422, 500, 501)


class RetryState:
    """The request for one reply in its current form, and which retries are left."""

    def __init__(
        self,
        request: ModelRequest,
        capabilities: EndpointCapabilities,
        *,
        stream: bool,
        host: str,
        now: Callable[[], datetime],
    ) -> None:
        self.request = request
        self._host = host
        self._now = now
        self._without_tools = False
        self.stream = self._wants_stream = stream and capabilities.streams
        self.usage = capabilities.usage_in_stream
        self._capabilities = capabilities
        self._waits = iter(WAITS)
        self._shortened = self._retried = False
        self._usage_before: Usage | None = None
        if not capabilities.tools:
            self._drop_tools()
        limit = capabilities.refused_size
        if limit is not None and size_of(request.messages) >= limit:
            self._shorten(capabilities.target_size)  # it would be refused too

    @property
    def form(self) -> MessageForm:
        """What the endpoint wants in messages, as far as it is known."""
        known = self._capabilities
        return MessageForm(known.wanted_back, None if known.null_content else "")

    def prepare_retry(self, error: ModelError, *, cost: int) -> float:
        """Change the request for a retry after this error, which is raised if there is none.

        `cost` is what the refused request may have cost: then the person decides about a retry,
        for which the change is kept.

        Returns:
            How many seconds to wait before the retry.
        """
        if error.code == "rate_limited":
            asked = seconds_until(error.facts.get("retry_after", ""), self._now())
            wait = next(self._waits, None)
            if wait is None or asked > MAX_WAIT:
                error.facts = {**error.facts, **time_after(asked, self._now())}
                raise error
            return max(wait, asked)
        if error.code in ("context_too_long", "too_large"):
            size = size_of(self.request.messages)
            target = target_size(size, error.detail)
            if self._shortened or not self._shorten(target):
                raise error
            self._capabilities.refused_size, self._capabilities.target_size = size, target
        elif error.code == "no_tools":
            self._try_without_tools(error, cost)
        elif (
            not (
                self._fit_messages(error) or self._drop_format(error) or self._simplify(error, cost)
            )
            or cost
        ):
            raise error
        return 0.0

    def note_success(self) -> None:
        """Store what the accepted request shows about the endpoint."""
        self._capabilities.tools &= not self._without_tools
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
            notes: list[ReplyNote] = ["shortened"] if self._shortened else []
            if self._without_tools:
                notes.append("without_tools")
            return replace(reply, usage=usage, notes=(*notes, *reply.notes))
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

    def _fit_messages(self, error: ModelError) -> bool:
        """Learn from a refusal what the endpoint wants in messages; False if it is nothing new."""
        known = self._capabilities
        if error.code != "bad_request" or error.status not in _REFUSAL_STATUS:
            return False
        wanted = fields_asked_for(self.request.messages, self._host, error.detail)
        if not wanted <= known.wanted_back:
            known.wanted_back |= wanted
            return True
        if known.null_content and re.search(_ABOUT_CONTENT, error.detail):
            known.null_content = not any(map(_has_blank_text, self.request.messages))
            return not known.null_content
        return False

    def _drop_format(self, error: ModelError) -> bool:
        """Ask for no JSON schema any more; False if the refusal is about something else."""
        asked = "response_format" in self.request.settings
        if not asked or error.status not in _REFUSAL_STATUS:
            return False
        if error.code != "bad_request" or not re.search(_ABOUT_FORMAT, error.detail):
            return False
        self._capabilities.json_schema = "never"
        settings = dict(self.request.settings)
        del settings["response_format"]
        self.request = replace(self.request, settings=settings)
        return True

    def _try_without_tools(self, error: ModelError, cost: int) -> None:
        if not self.request.tools:  # so it means something else
            raise ModelError(
                "bad_request",
                host=error.host,
                status=error.status,
                detail=error.detail,
                retryable=False,
                facts=error.facts,
            )
        if cost:
            self._capabilities.tools = False
            raise error
        self._drop_tools()

    def _drop_tools(self) -> None:
        messages = without_calls(self.request.messages)
        self._without_tools = bool(self.request.tools)
        self.request = replace(self.request, messages=messages, tools=())

    def _simplify(self, error: ModelError, cost: int) -> bool:
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
        if cost and about_stream:  # no retry follows whose success would show it
            self._capabilities.streams = self.stream
            self._capabilities.usage_in_stream = self.usage
        return True


def _has_blank_text(message: Message) -> bool:
    return isinstance(message, AssistantMessage) and not (message.content or "").strip()


def _announced_only(reply: ModelReply) -> bool:
    return (
        reply.finish_reason == "tool_calls"
        and not reply.message.tool_calls
        and not reply.message.content
    )


def _sum(first: Usage | None, second: Usage | None) -> Usage | None:
    if first is None or second is None:
        return first or second
    return Usage(
        first.prompt_tokens + second.prompt_tokens,
        first.completion_tokens + second.completion_tokens,
    )
