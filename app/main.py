# pyright: standard
# ruff: noqa: PLC0415  (imports are spread over several tasks, so that none blocks the page for long)
"""Where the parts are wired, and nowhere else. Rule: a start that fails says why, in the page."""

import asyncio
import importlib
import logging
from typing import TYPE_CHECKING, Any

from app.browser.page_files import FileError, page_module, page_text
from app.browser.web import document, js_object, shell
from app.views.strings import Strings, load_strings

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.agent.tools import Tool
    from app.agent.transport import Transport
    from app.browser.endpoint_panel import EndpointPanel
    from app.browser.late_wallet import LateWallet
    from app.browser.page import Page
    from app.browser.wallet_panel import WalletPanel
    from app.payments.paid_transport import PaidTransport
    from app.payments.policy import Purpose
    from app.payments.ports import PaymentView
    from app.settings import Settings

__all__ = ["main"]

log = logging.getLogger(__name__)

CALLS_PER_TURN = 16  # a model that asks for more at once is not looking things up

# the slow ones, each with a pause behind it in which the page can paint and take keys
HEAVY = (
    "pydantic_core",
    "pydantic.fields",
    "pydantic.main",
    "app.settings",
    "app.agent.tools",
    "app.agent.loop",
    "app.models.chat_completions",
    "app.tools.bundestakt",
    "app.tools.images",
    "app.browser.pictures",
    "app.browser.chat",
)


async def main() -> None:
    """Start the assistant; called once by the page."""
    strings = load_strings(document.documentElement.lang)
    try:
        await _start(strings)
    except FileError as error:
        shell.bootFailed(js_object({"file": error.file, "status": 0, "message": error.reason}))
    except Exception as error:
        sentence, is_ours = _sentence(strings, error)
        log.error(sentence, exc_info=error if is_ours else None)
        shell.fail(sentence)


async def _start(strings: Strings) -> None:
    files = asyncio.gather(page_text("pyscript.toml"), page_module("markdown.js"))
    for name in HEAVY:
        importlib.import_module(name)
        await asyncio.sleep(0)
    from app.settings import read_settings

    toml, markdown = await files
    await _compose(strings, read_settings(toml), markdown).load()


def _compose(  # noqa: PLR0915 -- a line for each part
    strings: Strings, settings: "Settings", markdown: Any
) -> "LateWallet":
    from app.agent.budgets import paid_call_budget, tool_call_budget
    from app.agent.loop import Agent
    from app.agent.ports import ChatModel
    from app.agent.strategies import default_strategy
    from app.browser.chat import Assistant, Chat
    from app.browser.clock import now, time_zone
    from app.browser.conversation_view import ConversationView
    from app.browser.endpoint_panel import EndpointPanel
    from app.browser.export_button import ExportButton
    from app.browser.late_wallet import LateWallet
    from app.browser.markdown import Markdown
    from app.browser.page import Page
    from app.browser.picture_view import PictureView
    from app.browser.pictures import Pictures
    from app.browser.search_switch import SearchSwitch
    from app.browser.tools_panel import ToolsPanel
    from app.browser.transport import BrowserTransport
    from app.browser.urllib_patch import UrllibPatch
    from app.models.abilities import KnownEndpoints
    from app.models.chat_completions import ChatCompletionsModel
    from app.prompts import system_prompt
    from app.tools.bundestakt import bundestakt_tools
    from app.tools.bundestakt_api import BundestaktApi

    page = Page(strings)
    transport = BrowserTransport()
    endpoint = EndpointPanel(page, strings, transport, settings)
    purse = LateWallet(
        page,
        strings,
        settings.payment.max_per_message,
        lambda: _paying(page, strings, settings, transport, endpoint),
    )
    pictures = Pictures(page, strings, purse=purse, transport=transport, url=settings.image_url)
    # every tool of the page; one of your own goes here
    all_tools = (
        *bundestakt_tools(BundestaktApi(transport, settings.bundestakt_url)),
        *pictures.tools,
    )
    owners_tools = _owners_tools(settings, transport, purse)
    tools = ToolsPanel(page, strings, lambda: (*all_tools, *owners_tools()))
    purse.on_account(tools.refresh)
    messages = purse.transport("message")
    known = KnownEndpoints()
    search = SearchSwitch(page, strings, endpoint.set_aside)
    urllib_patch = UrllibPatch(transport)
    view = ConversationView(page, strings, Markdown(strings, markdown), hops=settings.max_hops)
    ExportButton(page, strings, view)
    PictureView(page, strings, transport)
    approver = pictures.approver(view)

    def assistant() -> Assistant:
        chosen = endpoint.chosen
        if search.on:
            from app.searching.model import SearchModel  # loaded by whoever uses it

            model: ChatModel = SearchModel(now)
        else:
            model = ChatCompletionsModel(
                messages,
                url=chosen.url,
                model=chosen.model,
                key=chosen.key,
                stream=chosen.stream,
                abilities=known.of(chosen.url, chosen.model),
            )
        agent = Agent(
            model,
            tools.chosen(),
            approver=approver,
            strategy=default_strategy(settings.max_hops),
            middleware=(
                urllib_patch,
                tool_call_budget(max_per_turn=CALLS_PER_TURN),
                paid_call_budget(settings.max_paid_calls),
                approver,
            ),
        )
        return Assistant(agent, chosen.model, search.on, uncertain=purse.meter())

    chat = Chat(
        page,
        view,
        strings,
        hops=settings.max_hops,
        assistant=assistant,
        system_prompt=lambda: system_prompt(now(), time_zone()),
        use_search=lambda: search.turn(True),
        connect=purse.connect,
    )
    page.status(strings("status.ready"))
    shell.ready()
    chat.open()
    return purse


def _paying(
    page: "Page",
    strings: Strings,
    settings: "Settings",
    transport: "Transport",
    endpoint: "EndpointPanel",
) -> "tuple[WalletPanel, Callable[[Purpose, PaymentView], PaidTransport], Callable[[], str]]":
    """The wallet's panel, a maker of transports that pay from one ledger, the wallet's network."""
    from app.browser.wallet import StoredPins, TabLocks, Wallet
    from app.browser.wallet_panel import WalletPanel
    from app.payments.ledger import Ledger
    from app.payments.paid_transport import PaidTransport
    from app.payments.policy import Limits, SpendingPolicy

    wallet = Wallet(lambda: page_module("x402.js"))
    policy = SpendingPolicy(Limits.of(settings.payment), StoredPins(), Ledger(), wallet.network)
    purse = WalletPanel(page, strings, wallet, policy, lambda: endpoint.chosen.url)
    locks = TabLocks(wallet)

    def paid(purpose: "Purpose", view: "PaymentView") -> PaidTransport:
        return PaidTransport(
            transport, purpose=purpose, signer=wallet, policy=policy, locks=locks, view=view
        )

    return purse, paid, lambda: wallet.network or settings.payment.networks[0]


def _owners_tools(
    settings: "Settings", transport: "Transport", purse: "LateWallet"
) -> "Callable[[], tuple[Tool, ...]]":
    """The tools of whoever is connected now, where that is an owner of the site."""
    from app.tools.owners import OwnersTools

    owners = OwnersTools(transport, settings.analytics_url, settings.analytics_owners, purse)
    purse.on_account(owners.account_changed)
    return owners.now


def _sentence(strings: Strings, error: Exception) -> tuple[str, bool]:
    """What to say, and whether it is a fault of ours, which the console gets whole."""
    from app.settings import SettingsError
    from app.views.start_problems import settings_sentence

    if isinstance(error, SettingsError):
        return settings_sentence(strings, error), False
    return strings("start.bug", message=f"{type(error).__name__}: {error}"), True
