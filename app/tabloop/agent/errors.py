"""The errors of a run. Rule: a `ToolError` is for the model, all others are for the person.

The whole tree is drawn in `core.errors`.
"""

from collections.abc import Mapping
from typing import Literal

from tabloop.core.errors import AgentError

__all__ = ["ErrorStatus", "ModelError", "ModelErrorCode", "SetupError", "ToolError"]

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
    "unreachable",  # no connection, or refused by CORS: the browser does not say which
    "offline",
    "timeout",
    "unauthorized",
    "payment_required",
    "model_not_found",
    "address_not_found",  # the host is there, this address of it is not
    "too_large",  # 413: more bytes than it takes
    "context_too_long",  # more tokens than the model takes
    "rate_limited",
    "quota_used_up",  # waiting does not help
    "server_error",
    "bad_request",
    "not_json",
    "no_reply",  # JSON, but without a message
    "cut_off",  # a stream that ended early
    "error_body",  # HTTP 200 with an error object
]


class ToolError(Exception):
    """Raised by a tool to answer a call with a failure that the model can read.

    `reason` is one short English sentence (cut to 200 characters in the result). A `recoverable`
    failure leaves the tool on offer; any other withdraws it for the rest of the run. By default
    the status decides (see `results.RECOVERABLE`). `display` is for the page, beside the result.
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

    `code` names the kind; `host` is the endpoint's host; `status` the HTTP status if there was
    one; `detail` the endpoint's own words (shown as a quotation, at most 300 characters).
    `retryable` says whether the same request may succeed later.
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


class SetupError(AgentError):
    """The parts given to the agent do not fit together; raised before anything is sent."""

    def __init__(self, detail: str) -> None:
        super().__init__("setup", detail=detail)
