# pyright: standard
# ruff: noqa: PLC0415  (imports are spread over several tasks, so that none blocks the page for long)
"""Where the parts are wired, and nowhere else. Rule: a start that fails says why, in the page."""

import asyncio
import importlib
import logging
from typing import TYPE_CHECKING, Any

from app.browser.web import JsException, document, js_import, js_object, shell, window
from app.views.strings import Strings, load_strings

if TYPE_CHECKING:
    from app.settings import Settings

__all__ = ["main"]

log = logging.getLogger(__name__)

# the slow ones, each with a pause behind it in which the page can paint and take keys
HEAVY = (
    "pydantic_core",
    "pydantic.fields",
    "pydantic.main",
    "app.settings",
    "app.agent.tools",
    "app.agent.loop",
    "app.models.chat_completions",
    "app.models.practice",
    "app.tools.bundestakt",
    "app.browser.chat",
    "app.browser.wallet_panel",
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
    files = asyncio.gather(_text("pyscript.toml"), _module("markdown.js"))
    for name in HEAVY:
        importlib.import_module(name)
        await asyncio.sleep(0)
    from app.settings import read_settings

    toml, markdown = await files
    _compose(strings, read_settings(toml), markdown)


class FileError(Exception):
    """A file of the page did not come."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.file = file
        self.reason = reason


async def _text(file: str) -> str:
    """Read a file as it is now: the site's owner changes settings without a rebuild."""
    try:
        response = await window.fetch(_address(file), js_object({"cache": "no-cache"}))
        if not response.ok:
            raise FileError(file, f"HTTP {response.status}")
        return await response.text()
    except JsException as error:
        raise FileError(file, str(error)) from None


async def _module(file: str) -> Any:
    try:
        [module] = await js_import(_address(file))
    except JsException as error:
        raise FileError(file, str(error)) from None
    return module


def _address(file: str) -> str:
    return window.URL.new(f"./{file}", document.baseURI).href


def _compose(strings: Strings, settings: "Settings", markdown: Any) -> None:
    from app.agent.loop import Agent
    from app.agent.ports import ChatModel
    from app.agent.strategies import default_strategy
    from app.browser.approver import PageApprover
    from app.browser.chat import Assistant, Chat
    from app.browser.clock import now, time_zone
    from app.browser.conversation_view import ConversationView
    from app.browser.endpoint_panel import EndpointPanel
    from app.browser.export_button import ExportButton
    from app.browser.markdown import Markdown
    from app.browser.page import Page
    from app.browser.practice_switch import PracticeSwitch
    from app.browser.tools_panel import ToolsPanel
    from app.browser.transport import BrowserTransport
    from app.browser.urllib_patch import UrllibPatch
    from app.browser.wallet import StoredPins, TabLocks, Wallet
    from app.browser.wallet_panel import WalletPanel
    from app.models.abilities import KnownEndpoints
    from app.models.chat_completions import ChatCompletionsModel
    from app.models.practice import PracticeModel
    from app.payments.ledger import Ledger
    from app.payments.paid_transport import PaidTransport
    from app.payments.policy import Limits, SpendingPolicy
    from app.prompts import system_prompt
    from app.tools.bundestakt import bundestakt_tools
    from app.tools.bundestakt_api import BundestaktApi

    page = Page(strings)
    transport = BrowserTransport()
    tools = ToolsPanel(
        page, strings, bundestakt_tools(BundestaktApi(transport, settings.bundestakt_url))
    )
    endpoint = EndpointPanel(page, strings, transport, settings)
    known = KnownEndpoints()
    wallet = Wallet(lambda: _module("x402.js"))
    limits = Limits.of(settings.payment)
    policy = SpendingPolicy(limits, StoredPins(), Ledger(), wallet.network)
    purse = WalletPanel(page, strings, wallet, policy, lambda: endpoint.chosen.url)
    paid = PaidTransport(
        transport,
        purpose="message",
        signer=wallet,
        policy=policy,
        locks=TabLocks(wallet),
        view=purse,
    )
    practice = PracticeSwitch(page, strings)
    urllib_patch = UrllibPatch(transport)
    view = ConversationView(page, strings, Markdown(strings, markdown), hops=settings.max_hops)
    ExportButton(page, strings, view)

    def assistant() -> Assistant:
        chosen = endpoint.chosen
        model: ChatModel = PracticeModel(now)
        if not practice.on:
            model = ChatCompletionsModel(
                paid,
                url=chosen.url,
                model=chosen.model,
                key=chosen.key,
                stream=chosen.stream,
                abilities=known.of(chosen.url, chosen.model),
            )
        agent = Agent(
            model,
            tools.chosen(),
            approver=PageApprover(),
            strategy=default_strategy(settings.max_hops),
            middleware=(urllib_patch,),
        )
        return Assistant(agent, model=chosen.model, practice=practice.on)

    chat = Chat(
        page,
        view,
        strings,
        hops=settings.max_hops,
        assistant=assistant,
        system_prompt=lambda: system_prompt(now(), time_zone()),
        use_practice=lambda: practice.turn(True),
        connect=purse.connect,
    )
    page.status(strings("status.ready"))
    shell.ready()
    chat.open()


def _sentence(strings: Strings, error: Exception) -> tuple[str, bool]:
    """What to say, and whether it is a fault of ours, which the console gets whole."""
    from app.settings import SettingsError
    from app.views.start_problems import settings_sentence

    if isinstance(error, SettingsError):
        return settings_sentence(strings, error), False
    return strings("start.bug", message=f"{type(error).__name__}: {error}"), True
