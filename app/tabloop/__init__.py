"""Tabloop: an agent loop for a browser tab and for CPython, with what a chat page around it needs.

Rule: importing the package loads nothing. A name is imported when it is first used, because a page
spreads its imports over several tasks, so that none blocks it for long.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabloop.agent.budgets import paid_call_budget, tool_call_budget
    from tabloop.agent.context import ToolContext
    from tabloop.agent.errors import ModelError, NoAnswer, SetupError, ToolError
    from tabloop.agent.events import (
        Event,
        ReasoningMessageContent,
        RunFinished,
        TextMessageContent,
        ToolCallResult,
    )
    from tabloop.agent.limits import Limits
    from tabloop.agent.loop import Agent
    from tabloop.agent.messages import (
        AssistantMessage,
        ImagePart,
        Message,
        SystemMessage,
        ToolCall,
        ToolMessage,
        UserMessage,
    )
    from tabloop.agent.middleware import Middleware
    from tabloop.agent.ports import Approved, Approver, ChatModel, Declined, ModelReply, TextDelta
    from tabloop.agent.stop import Stop
    from tabloop.agent.strategies import (
        combine_strategies,
        max_iterations,
        until_finish_reason,
    )
    from tabloop.agent.subagent import agent_tool
    from tabloop.agent.tools import Source, Tool, ToolOutput, tool
    from tabloop.contrib.scripted import ScriptedModel, calls
    from tabloop.core.errors import AgentError
    from tabloop.endpoint.chat_completions import ChatCompletionsModel

__all__ = [
    "Agent",
    "AgentError",
    "Approved",
    "Approver",
    "AssistantMessage",
    "ChatCompletionsModel",
    "ChatModel",
    "Declined",
    "Event",
    "ImagePart",
    "Limits",
    "Message",
    "Middleware",
    "ModelError",
    "ModelReply",
    "NoAnswer",
    "ReasoningMessageContent",
    "RunFinished",
    "ScriptedModel",
    "SetupError",
    "Source",
    "Stop",
    "SystemMessage",
    "TextDelta",
    "TextMessageContent",
    "Tool",
    "ToolCall",
    "ToolCallResult",
    "ToolContext",
    "ToolError",
    "ToolMessage",
    "ToolOutput",
    "UserMessage",
    "agent_tool",
    "calls",
    "combine_strategies",
    "max_iterations",
    "paid_call_budget",
    "tool",
    "tool_call_budget",
    "until_finish_reason",
]

__version__ = "0.1.0"

_HOMES = (
    *("agent.loop", "agent.tools", "agent.messages", "agent.errors", "agent.events", "agent.ports"),
    *("agent.stop", "agent.strategies", "agent.middleware", "agent.budgets", "agent.context"),
    *("agent.limits", "agent.subagent", "core.errors", "endpoint.chat_completions"),
    "contrib.scripted",  # not in a page's bundle, so it must be the last one that is looked at
)


def __getattr__(name: str) -> object:
    if name in __all__:
        for home in _HOMES:
            module = import_module(f"tabloop.{home}")
            if name in module.__all__:
                return getattr(module, name)
    raise AttributeError(f"module 'tabloop' has no attribute {name!r}")
