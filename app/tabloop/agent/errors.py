"""The errors of a run. Rule: the model reads a `ToolError`, the person reads all others.

The tree of all errors is in `core.errors`.
"""

from collections.abc import Mapping
from typing import Literal

from tabloop.core.errors import AgentError

__all__ = ["ErrorStatus", "ModelError", "ModelErrorCode", "NoAnswer", "SetupError", "ToolError"]

ErrorStatus = Literal[
    "not_found",
    "fetch_failed",
    "user_declined",
    "wrong_network",
    "generation_failed",
    "invalid_response",
    "invalid_arguments",
    "unknown_tool",
    "max_tokens",
    "budget_exhausted",
    "repeated_call",
    "interrupted",
    "payment_refused",
    "tool_error",
]

ModelErrorCode = Literal[
    "unreachable",  # no connection, or blocked by CORS: the browser does not tell which
    "offline",
    "timeout",
    "unauthorized",
    "payment_required",
    "model_not_found",
    "address_not_found",  # the host answers, but not at this path
    "too_large",  # 413: more bytes than it accepts
    "context_too_long",  # more tokens than the model accepts
    "rate_limited",
    "quota_used_up",  # waiting does not help
    "server_error",
    "no_tools",  # the model or its server cannot use tools
    "filtered",  # refused by a content filter
    "tool_use_failed",  # the endpoint could not read the call that the model wrote
    "bad_key",  # a key with a sign that cannot be sent (`facts`: "sign", "place"); nothing was sent
    "bad_request",
    "not_json",
    "no_reply",  # JSON, but without a message
    "redirected",  # to `facts["where"]`, blank if unknown; nothing was sent there
    "cut_off",  # a stream that ended early
    "error_body",  # HTTP 200 with an error object
    # the language model of the browser
    "device_lost",  # the browser has ended its session
    "device_reply",  # what it wrote cannot be used, and it did no better when told so
    "device_filtered",  # the browser withheld what it wrote
    "device_language",  # it does not support a language of the conversation
    "device_too_long",  # the question alone is more than it reads at once
    "device_failed",  # in its own words, `detail`
]


class ToolError(Exception):
    """Raised by a tool to answer a call with an error that the model can read.

    `reason` is one short English sentence (truncated to 200 characters in the result). After an
    error that is not `recoverable` the tool is withdrawn for the rest of the run; by default the
    code decides (see `results.RECOVERABLE`). `display` is for the page only.
    """

    def __init__(
        self,
        code: ErrorStatus,
        reason: str,
        *,
        recoverable: bool | None = None,
        display: object = None,
    ) -> None:
        super().__init__(f"{code}: {reason}")
        self.code: ErrorStatus = code
        self.reason = reason
        self.recoverable = recoverable
        self.display = display


class ModelError(AgentError):
    """The model endpoint gave no usable reply.

    `status` is the HTTP status if there was one; `retryable` says whether the same request may
    succeed later. The other fields are those of `AgentError`.
    """

    def __init__(
        self,
        code: ModelErrorCode,
        *,
        host: str = "",
        status: int | None = None,
        detail: str = "",
        retryable: bool = True,
        facts: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(code, host=host, detail=detail, facts=facts)
        self.status = status
        self.retryable = retryable


class NoAnswer(AgentError):
    """A run ended without a whole answer.

    `code` is its outcome, or "damaged" where a part of the answer was lost; `detail` is the text
    that there is.
    """


class SetupError(AgentError):
    """The agent was set up wrongly; raised before anything is sent."""

    def __init__(self, detail: str) -> None:
        super().__init__("setup", detail=detail)
