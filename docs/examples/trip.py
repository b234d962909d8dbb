"""Plans a day trip: looks things up, asks another agent, books only what a person approves."""

import asyncio
import sys
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field
from tabloop import (
    Agent,
    Approved,
    Approver,
    ChatCompletionsModel,
    ChatModel,
    Declined,
    Tool,
    ToolContext,
    ToolError,
    agent_tool,
    max_iterations,
    tool,
    tool_call_budget,
)
from tabloop.contrib.httpx_transport import HttpxTransport

WEATHER = {"Bonn": "rain", "Mainz": "sun"}


class Trip(BaseModel):
    """A day trip."""

    town: str
    ticket: str = ""
    reason: str


@tool
async def get_weather(town: Annotated[str, Field(description="A town's name.")]) -> dict[str, str]:
    """Look up today's weather in one town."""
    if town not in WEATHER:
        raise ToolError("not_found", f"Known are {', '.join(WEATHER)}.")
    return {"weather": WEATHER[town]}


@tool
async def list_museums(town: str, call: ToolContext) -> list[str]:
    """List the museums of one town that are open today."""
    call.progress(f"opening hours in {town}")
    return [f"Museum of {town}"]


@tool(needs_approval=True, read_only=False)
async def book_train(town: str, seats: int = 1) -> dict[str, str]:
    """Book a train to one town."""
    return {"ticket": f"{town}-{seats}"}


class AsksInTerminal:
    """An `Approver`: any object with this method."""

    async def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Approved | Declined:
        """Ask for a `y`; everything else is a refusal."""
        said = await asyncio.to_thread(input, f"{tool.name} {dict(arguments)} [y/N] ")
        return Approved() if said.strip() == "y" else Declined()


def planner(model: ChatModel, approver: Approver) -> Agent[Trip]:
    """Return the agent that plans, with a guide as one of its tools."""
    guide = Agent(model, [list_museums])
    ask_guide = agent_tool(guide, name="ask_guide", description="Ask what to see in a town.")
    return Agent(
        model,
        [get_weather, ask_guide, book_train],
        approver=approver,
        strategy=max_iterations(12),
        middleware=[tool_call_budget(max=10)],
        output=Trip,
    )


async def main(url: str, name: str, key: str = "") -> None:
    """Ask the model called `name` at `url`, and print the trip as JSON."""
    async with HttpxTransport() as http:
        model = ChatCompletionsModel(http, url=url, model=name, key=key, stream=True)
        trip = await planner(model, AsksInTerminal()).answer("Where can I go today? Book a seat.")
        print(trip.model_dump_json())


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
