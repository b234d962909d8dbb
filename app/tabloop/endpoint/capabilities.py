"""What endpoints support.

Rule: it begins with what `profiles` knows, and the rest is learned from replies and refusals.

There are no settings for what an endpoint lacks: a request has only the necessary fields, and the
rest is learned once for each tab.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tabloop.agent.ports import NO_TOOL_LIMITS, ToolLimits

__all__ = ["EndpointCapabilities", "JsonSchemaUse"]

# Whether a request may hold the answer to a JSON schema. Many servers then allow no call at all,
# so they are asked for it only when no tools are offered.
JsonSchemaUse: TypeAlias = Literal["never", "without tools", "always"]


@dataclass(slots=True)
class EndpointCapabilities:
    """What is known of one model at one URL. Sizes are in characters; see `trimming.size_of`."""

    url: str = ""  # that was found to be the right one, blank while it is not known
    streams: bool = True
    usage_in_stream: bool = True  # accepts `stream_options`
    opens_with_reasoning: bool = False  # its text begins with reasoning, without an opening tag
    tools: bool = True
    wanted_back: frozenset[str] = frozenset()  # fields of its replies that it wants back
    null_content: bool = True  # accepts `null` as the text beside calls
    json_schema: JsonSchemaUse = "never"
    tool_limits: ToolLimits = NO_TOOL_LIMITS
    refused_size: int | None = None  # of the conversation that was last refused as too long
    target_size: int = 0  # to which later conversations are shortened
