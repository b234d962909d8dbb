"""Who says yes to calls that need a person. Rule: without a card to ask with, the answer is no."""

from collections.abc import Mapping
from typing import Any

from app.agent.ports import Approval, Declined
from app.agent.tools import Tool

__all__ = ["PageApprover"]


class PageApprover:
    """Asks the person in the conversation."""

    async def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Approval:
        """Return the decision."""
        return Declined("The page cannot ask the person about this yet.")
