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
    from app.agent.quotes import Quote
    from app.agent.tools import Tool
    from app.agent.transport import Transport
    from app.settings import Settings

__all__ = ["main"]

log = logging.getLogger(__name__)

# Of one question, so that a model that goes round in circles cannot ask for money for ever. More
# than anybody wants of one answer, and no setting: what a visitor can spend has limits of its own.
PAID_CALLS = 6

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
    "app.tools.images",
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
    from app.agent.budgets import paid_call_budget
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
    from app.browser.picture_view import PictureView
    from app.browser.practice_switch import PracticeSwitch
    from app.browser.tools_panel import ToolsPanel
    from app.browser.transport import BrowserTransport
    from app.browser.urllib_patch import UrllibPatch
    from app.models.abilities import KnownEndpoints
    from app.models.chat_completions import ChatCompletionsModel
    from app.models.practice import PracticeModel
    from app.prompts import system_prompt
    from app.tools.bundestakt import bundestakt_tools
    from app.tools.bundestakt_api import BundestaktApi

    page = Page(strings)
    transport = BrowserTransport()
    image_tools, quote = _pictures(settings, transport)
    tools = ToolsPanel(
        page,
        strings,
        (
            *bundestakt_tools(BundestaktApi(transport, settings.bundestakt_url)),
            *image_tools,
        ),
    )
    endpoint = EndpointPanel(page, strings, transport, settings)
    known = KnownEndpoints()
    practice = PracticeSwitch(page, strings)
    urllib_patch = UrllibPatch(transport)
    view = ConversationView(page, strings, Markdown(strings, markdown), hops=settings.max_hops)
    ExportButton(page, strings, view)
    PictureView(page, strings, transport)
    approver = PageApprover(page, view, strings, quote)

    def assistant() -> Assistant:
        chosen = endpoint.chosen
        model: ChatModel = PracticeModel(now)
        if not practice.on:
            model = ChatCompletionsModel(
                transport,
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
            middleware=(urllib_patch, paid_call_budget(PAID_CALLS), approver),
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
    )
    page.status(strings("status.ready"))
    shell.ready()
    chat.open()


def _pictures(settings: "Settings", transport: "Transport") -> "tuple[tuple[Tool, ...], Quote]":
    """The tool that makes pictures, and who knows what one costs; `transport` pays where asked."""
    from app.settings import micro_usdc
    from app.tools.image_prices import ImageQuote
    from app.tools.image_service import ImageService
    from app.tools.images import image_tools

    networks = settings.payment.networks

    def network() -> str:
        return networks[0]

    quote = ImageQuote(
        transport,
        settings.image_url,
        network,
        networks=networks,
        limit=micro_usdc(settings.payment.max_per_image),
    )
    return image_tools(ImageService(transport, settings.image_url, network)), quote


def _sentence(strings: Strings, error: Exception) -> tuple[str, bool]:
    """What to say, and whether it is a fault of ours, which the console gets whole."""
    from app.settings import SettingsError
    from app.views.start_problems import settings_sentence

    if isinstance(error, SettingsError):
        return settings_sentence(strings, error), False
    return strings("start.bug", message=f"{type(error).__name__}: {error}"), True
