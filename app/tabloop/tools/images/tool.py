"""The tool for pictures. Rule: a person confirms each one; the model never gets its URL."""

from typing import Annotated, Any, Literal, Protocol

from pydantic import Field, StringConstraints

from tabloop.agent.displays import Picture
from tabloop.agent.tools import Tool, ToolOutput, tool
from tabloop.tools.images.words import BRIEF, PICTURE

__all__ = ["MAX_PROMPT", "SOURCE", "PictureService", "image_tools"]

SOURCE = "images"
MAX_PROMPT = 4_000  # characters; image models refuse longer ones

Prompt = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_PROMPT)
]


class PictureService(Protocol):
    """Makes pictures, of whatever wire format."""

    async def generate(self, prompt: str, size: str) -> Picture:
        """Return a picture of about `size`. Raises `ToolError`."""
        ...


def image_tools(service: PictureService) -> tuple[Tool, ...]:
    """Return the one tool."""

    @tool(
        source=SOURCE,
        needs_approval=True,
        paid=True,
        read_only=False,
        presentation=PICTURE,
        brief=BRIEF,
    )
    async def generate_image(
        prompt: Annotated[Prompt, Field(description="What the picture shows, in full.")],
        size: Annotated[
            Literal["1024x1024", "1792x1024"], Field(description="Square, or wide.")
        ] = "1024x1024",
    ) -> ToolOutput:
        """Make one picture, only when asked for one.

        The person is shown the prompt, may edit it, and pays or declines. The page shows the
        picture itself; you get the final prompt, no address. Say briefly what came of it.
        """
        picture = await service.generate(prompt, size)
        made: dict[str, Any] = {"prompt": prompt, "size": f"{picture.width}x{picture.height}"}
        if picture.mint_failed:
            made["mint"] = "mint_failed"
        return ToolOutput(made, display=picture)

    return (generate_image,)
