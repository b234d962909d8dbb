"""Validates requests as the paid proxy and Mistral do.

Rule: strict, and independent of the page's own code, so that it checks what the page sends.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from tabloop.agent.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tabloop.agent.ports import ModelRequest
from tabloop.agent.tools import Tool

from tests.standins.recording import json_bytes

__all__ = ["Refusal", "read_request"]

MAX_TOOLS = 8
MAX_TOOL_BYTES = 8192
CALL_ID = re.compile(r"[A-Za-z0-9]{9}")
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")

Fields = Mapping[str, Any]  # a JSON object

TOP_KEYS = frozenset(
    {"model", "messages", "tools", "tool_choice", "parallel_tool_calls", "response_format"}
    | {"stream", "n", "temperature", "top_p", "stop", "seed", "random_seed"}
    | {"presence_penalty", "frequency_penalty"}
)
MESSAGE_KEYS: Mapping[str, frozenset[str]] = {
    "system": frozenset({"role", "content"}),
    "user": frozenset({"role", "content"}),
    "assistant": frozenset({"role", "content", "tool_calls", "prefix"}),
    "tool": frozenset({"role", "content", "tool_call_id", "name"}),
}


@dataclass
class Refusal(Exception):
    """An error response. Blank `code` and `param` are omitted from the body."""

    status: int
    message: str
    type: str = "invalid_request_error"
    code: str = ""
    param: str = ""

    def body(self) -> dict[str, object]:
        """Return the JSON body in the proxy's format."""
        error = {"message": self.message, "type": self.type}
        error |= {k: v for k, v in (("code", self.code), ("param", self.param)) if v}
        return {"error": error}


def read_request(body: bytes, models: Sequence[str]) -> ModelRequest:
    """Return the request. Raises `Refusal` for everything that the real services refuse."""
    try:
        fields = json.loads(body)
    except ValueError:
        raise Refusal(400, "The request body is not valid JSON.") from None
    request = _fields(fields, "body")
    _check_proxy_rules(request)
    _no_extras(request, TOP_KEYS, "body")
    if request.get("model") not in models:
        text = f"The model `{request.get('model')}` does not exist."
        raise Refusal(404, text, code="model_not_found", param="model")
    tools = _tools(request["tools"]) if "tools" in request else ()
    items = _items(request.get("messages"), "messages")
    messages = tuple(_message(item, f"messages[{index}]") for index, item in enumerate(items))
    _check_order(messages)
    return ModelRequest(messages, () if request.get("tool_choice") == "none" else tools)


def _check_proxy_rules(request: Fields) -> None:
    if request.get("stream", False) is not False:
        raise Refusal(400, "Streaming is not supported.", param="stream")
    if request.get("n", 1) != 1:
        raise Refusal(400, "Only n = 1 is supported.", param="n")
    for key in ("max_tokens", "max_completion_tokens"):
        if key in request:
            raise Refusal(400, f"{key} is set by the proxy and must not be sent.", param=key)
    if request.get("tool_choice", "auto") not in ("auto", "none"):
        raise Refusal(400, "tool_choice must be auto or none.", param="tool_choice")
    _items(request.get("messages"), "messages")


def _tools(listed: Any) -> tuple[Tool, ...]:
    items = _items(listed, "tools")
    if len(items) > MAX_TOOLS:
        raise Refusal(400, f"At most {MAX_TOOLS} tools are allowed.", param="tools")
    if len(json_bytes(items)) > MAX_TOOL_BYTES:
        raise Refusal(400, f"tools must not exceed {MAX_TOOL_BYTES} bytes.", param="tools")
    return tuple(_tool(item, f"tools[{index}]") for index, item in enumerate(items))


def _tool(item: Any, where: str) -> Tool:
    outer = _fields(item, where)
    if outer.get("type") != "function":
        raise Refusal(400, f"{where} is no function tool.", param=where)
    function = _fields(outer.get("function"), f"{where}.function")
    _no_extras(function, frozenset({"name", "description", "parameters", "strict"}), where)
    parameters = _fields(function.get("parameters"), f"{where}.function.parameters")
    return Tool(
        name=_name(function.get("name"), f"{where}.function.name"),
        description=str(function.get("description", "")),
        parameters=parameters,
        validate=dict,
        run=_never_run,
    )


async def _never_run(_arguments: Fields) -> NoReturn:
    raise AssertionError("the proxy never runs a tool")


def _message(item: Any, where: str) -> Message:
    fields = _fields(item, where)
    role = str(fields.get("role"))
    if role not in MESSAGE_KEYS:
        raise Refusal(422, f"{where}.role: unknown role {role}", param=where)
    _no_extras(fields, MESSAGE_KEYS[role], f"{where}.{role}")
    calls = _calls(fields["tool_calls"], f"{where}.tool_calls") if "tool_calls" in fields else ()
    content = fields.get("content")
    if content is None and not calls:
        raise Refusal(400, f"{where} needs content.", param=where)
    if content is not None and not isinstance(content, str):
        raise Refusal(422, f"{where}.content: Input should be a valid string", param=where)
    text = content or ""
    match role:
        case "system":
            return SystemMessage(text)
        case "user":
            return UserMessage(text)
        case "tool":
            call_id = fields.get("tool_call_id")
            if not isinstance(call_id, str):
                raise Refusal(422, f"{where}.tool_call_id: Field required", param=where)
            return ToolMessage(call_id, text)
        case _:
            if not calls and not text.strip():
                raise Refusal(400, "Assistant message must have either content or tool_calls.")
            return AssistantMessage(content, calls)


def _calls(listed: Any, where: str) -> tuple[ToolCall, ...]:
    calls: list[ToolCall] = []
    for item in _items(listed, where):
        fields = _fields(item, where)
        _no_extras(fields, frozenset({"id", "type", "function"}), where)
        function = _fields(fields.get("function"), f"{where}.function")
        _no_extras(function, frozenset({"name", "arguments"}), f"{where}.function")
        call_id, arguments = fields.get("id"), function.get("arguments")
        if not isinstance(call_id, str) or not CALL_ID.fullmatch(call_id):
            text = f"Tool call id was {call_id} but must be a-z, A-Z, 0-9, with a length of 9."
            raise Refusal(400, text, type="invalid_function_call", code="3280")
        if not isinstance(arguments, str) or not _is_object(arguments):
            raise Refusal(400, f"{where}: arguments must be a JSON object as text.", param=where)
        calls.append(ToolCall(call_id, _name(function.get("name"), where), arguments))
    if len({call.id for call in calls}) < len(calls):
        raise Refusal(400, "Duplicate tool call id in assistant message.", code="3230")
    return tuple(calls)


def _check_order(messages: Sequence[Message]) -> None:
    """Check Mistral's rules for the order of messages. Raises `Refusal`."""
    waiting: list[str] = []
    before: Message | None = None
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.tool_call_id not in waiting:
                raise _order("Unexpected tool call id in tool results")
            waiting.remove(message.tool_call_id)
        elif waiting:
            raise _order("Not the same number of function calls and responses")
        elif isinstance(message, UserMessage) and isinstance(before, ToolMessage):
            raise _order("Unexpected role 'user' after role 'tool'")
        elif isinstance(message, AssistantMessage):
            waiting = [call.id for call in message.tool_calls]
        before = message
    if not isinstance(before, UserMessage | ToolMessage):
        raise _order("Expected last role User or Tool for serving")
    if waiting:
        raise _order("Not the same number of function calls and responses")


def _order(text: str) -> Refusal:
    return Refusal(400, text, type="invalid_request_message_order", code="3230")


def _fields(value: Any, where: str) -> Fields:
    if not isinstance(value, dict):
        raise Refusal(400, f"{where} must be a JSON object.", param=where)
    return cast("Fields", value)


def _items(value: Any, where: str) -> Sequence[Any]:
    if not isinstance(value, list) or not value:
        raise Refusal(400, f"{where} must be a non-empty array.", param=where)
    return cast("Sequence[Any]", value)


def _name(value: Any, where: str) -> str:
    if not isinstance(value, str) or not TOOL_NAME.fullmatch(value):
        text = f"Function name was {value} but must be a-z, A-Z, 0-9, _ or -, at most 64."
        raise Refusal(400, text, param=where)
    return value


def _no_extras(fields: Fields, allowed: frozenset[str], where: str) -> None:
    if extra := sorted(set(fields) - allowed):
        raise Refusal(422, f"{where}.{extra[0]}: Extra inputs are not permitted", param=extra[0])


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
