"""The page without a browser: the loop, endpoint, tools and payments as main.py connects them.

Rule: only the ports are fakes: the network, the signer, the wallet's text signature, the clock.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tabloop.agent.budgets import paid_call_budget, tool_call_budget
from tabloop.agent.conversation import Conversation
from tabloop.agent.events import RunFinished
from tabloop.agent.loop import Agent
from tabloop.agent.messages import Message, ToolMessage
from tabloop.agent.ports import Approval, Approved, Declined
from tabloop.agent.stop import Stop
from tabloop.agent.strategies import default_strategy
from tabloop.agent.tools import Tool
from tabloop.core.pricing import ConfirmedPrice, PriceError
from tabloop.endpoint.chat_completions import ChatCompletionsModel
from tabloop.payments.live_prices import LivePrices
from tabloop.payments.offers import Offer
from tabloop.payments.paid_transport import PaidTransport
from tabloop.payments.ports import Payment, Plan
from tabloop.tools.analytics.api import AnalyticsApi
from tabloop.tools.analytics.sign_in import SignIn
from tabloop.tools.analytics.tool import analytics_tools
from tabloop.tools.bundestakt.api import BundestaktApi
from tabloop.tools.bundestakt.tool import bundestakt_tools
from tabloop.tools.images.prices import ImagePricing
from tabloop.tools.images.service import ImageService
from tabloop.tools.images.tool import image_tools
from tabloop.tools.site.tool import site_tools
from tabloop.ui.answer_state import AnswerState, reduce

from tests.unit.faulty_services import Network
from tests.unit.paying import PAYER, FakeSigner, Locks, Show, policy
from tests.unit.site_pages import FakeBrowser

__all__ = ["FaultyPage", "Wallet"]

LONG_AGO = 1_789_000_000.0  # Unix seconds
PICTURES = "https://paid.pictures.test"


@dataclass
class Wallet(FakeSigner):
    """A wallet of which one answer can be broken: `broken` is "plan", "sign" or "text".

    `broken_by`: an exception is raised, a number of seconds slept, `None` means no answer at all;
    a text is the signature.
    """

    broken: str = ""
    broken_by: Exception | float | str | None = None
    while_asked: Callable[[], None] = lambda: None
    hanging: asyncio.Event = field(default_factory=asyncio.Event)

    async def plan(self, offer: Offer) -> Plan:
        await self._answered("plan")
        return await super().plan(offer)

    async def sign(self, offer: Offer, plan: Plan, *, deposit: int) -> Payment:
        await self._answered("sign")
        return await super().sign(offer, plan, deposit=deposit)

    async def sign_text(self, text: str, account: str) -> str:
        """See `TextSigner`."""
        await self._answered("text")
        return "0x12"

    async def _answered(self, what: str) -> None:
        if what != self.broken:
            return
        self.while_asked()
        if isinstance(self.broken_by, Exception):
            raise self.broken_by
        if self.broken_by is None:
            self.hanging.set()
            await asyncio.Event().wait()
        elif isinstance(self.broken_by, float):
            await asyncio.sleep(self.broken_by)


@dataclass
class FaultyPage:
    """One conversation; `host` of the endpoint decides whether it is paid."""

    network: Network
    host: str = "free.test"
    stream: bool = False
    wallet: Wallet = field(default_factory=Wallet)
    time: float = LONG_AGO
    conversation: Conversation = field(default_factory=Conversation)

    def __post_init__(self) -> None:
        self.policy, self.locks, self.view = policy(), Locks(), Show()
        pictures = self._paying("image")
        confirmed = ConfirmedPrice()
        service = ImageService(pictures, PICTURES, lambda: "eip155:10", confirmed.take)
        self.pricing = ImagePricing(self.network, LivePrices(pictures), PICTURES, lambda: "")
        sign_in = SignIn(self.wallet, "analytics-api", [PAYER], clock=lambda: self.time)
        record = BundestaktApi(self.network, "https://record.test", clock=lambda: self.time)
        self.tools: tuple[Tool, ...] = (
            *bundestakt_tools(record),
            *site_tools(self.network, FakeBrowser(), search="/index.json", pages="/llms.txt"),
            *analytics_tools(AnalyticsApi(self.network, "https://numbers.test", sign_in)),
            *image_tools(service),
        )
        self.messages = self._paying("message")
        self.approver = _Card(self.pricing, confirmed)

    def _paying(self, purpose: str) -> PaidTransport:
        return PaidTransport(
            self.network,
            purpose="image" if purpose == "image" else "message",
            signer=self.wallet,
            policy=self.policy,
            locks=self.locks,
            view=self.view,
            now=lambda: self.time,
        )

    async def ask(self, question: str, stop: Stop | None = None) -> AnswerState:
        """Ask, and return what the page shows at the end; the run is part of the conversation."""
        model = ChatCompletionsModel(
            self.messages, url=f"https://{self.host}/v1", model="m", stream=self.stream
        )
        agent = Agent(
            model,
            [
                tool
                for tool in self.tools
                if self.network.call and tool.name == self.network.call[0]
            ],
            approver=self.approver,
            strategy=default_strategy(6),
            middleware=(tool_call_budget(max_per_turn=16), paid_call_budget(2)),
        )
        self.run: list[Message] = self.conversation.ask(question, "Be kind.")
        state, ends = AnswerState(), list[RunFinished]()
        async for event in agent.run(self.run, stop):
            state = reduce(state, event)
            ends += [event] if isinstance(event, RunFinished) else []
        assert len(ends) == 1, "a run ends once"
        self.conversation.finish(ends[0], state.text)
        return state

    @property
    def results(self) -> list[dict[str, str]]:
        """What the model has read of its calls."""
        written = (message for message in self.run if isinstance(message, ToolMessage))
        return [json.loads(message.content) for message in written]


class _Card:
    """A person who confirms a picture once its price is known, and cancels a card without one."""

    def __init__(self, pricing: ImagePricing, confirmed: ConfirmedPrice) -> None:
        self._pricing, self._confirmed = pricing, confirmed
        self.error: PriceError | None = None

    async def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Approval:
        """See `Approver`."""
        try:
            self._confirmed.price = await self._pricing.price(arguments)
        except PriceError as error:
            self.error = error
            return Declined()
        return Approved()
