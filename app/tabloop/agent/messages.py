"""The messages that the model reads. Rule: they are frozen; a history only grows."""

import base64
import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tabloop.agent.errors import SetupError

__all__ = [
    "MAX_IMAGE_URL",
    "AssistantMessage",
    "ImagePart",
    "Message",
    "SystemMessage",
    "ToolCall",
    "ToolMessage",
    "UserMessage",
]


MAX_IMAGE_URL = 28_000_000  # characters; about 20 MB, more than any known endpoint takes
_IMAGE_URL = re.compile(r"https?://\S+|data:image/[\w.+-]+;base64,[A-Za-z0-9+/]+={0,2}")


@dataclass(frozen=True, slots=True)
class SystemMessage:
    """Instructions before a conversation."""

    content: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture for the model to look at.

    `url` is an address that the endpoint can reach, or the picture itself as
    `data:image/png;base64,...`. `detail` says how closely to look. Raises `SetupError` for a `url`
    that is neither, or is longer than `MAX_IMAGE_URL`.
    """

    url: str = field(repr=False)
    detail: Literal["auto", "low", "high"] = "auto"

    def __post_init__(self) -> None:
        if len(self.url) > MAX_IMAGE_URL:
            raise SetupError(f"an image is longer than {MAX_IMAGE_URL} characters")
        if not _IMAGE_URL.fullmatch(self.url):
            start = self.url[:40]
            raise SetupError(f"an image needs an https: or data:image/ address, not {start!r}")

    @classmethod
    def of_bytes(cls, data: bytes, media_type: str = "image/png") -> "ImagePart":
        """Return the part for a picture's bytes."""
        return cls(f"data:{media_type};base64,{base64.b64encode(data).decode()}")


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the person wrote, and the pictures beside it."""

    content: str
    images: tuple[ImagePart, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as the model wrote it; `arguments` is the JSON text, possibly malformed."""

    id: str
    name: str
    arguments: str = "{}"


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """The model's reply: text, calls, or both. `None` and blank text both mean "no text".

    `echo` is what the endpoint may want back with the results of the calls; only it reads that.
    """

    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    echo: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The one result of one call; `content` is a JSON object as text (see `results`)."""

    tool_call_id: str
    content: str


Message: TypeAlias = SystemMessage | UserMessage | AssistantMessage | ToolMessage
