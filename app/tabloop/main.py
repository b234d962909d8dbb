# ruff: noqa: PLC0415  (what few starts need is imported when it is needed)
"""The composition root: creates and connects all parts. Rule: a failed start shows its reason."""

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any

from tabloop.agent.budgets import paid_call_budget, tool_call_budget
from tabloop.agent.loop import Agent
from tabloop.agent.strategies import default_strategy
from tabloop.browser.assistant import Assistant
from tabloop.browser.chat import Chat
from tabloop.browser.clock import now, time_zone
from tabloop.browser.conversation_view import ConversationView
from tabloop.browser.endpoint_panel import EndpointPanel
from tabloop.browser.export_button import ExportButton
from tabloop.browser.keeping import Keeping
from tabloop.browser.kept_chat import KeptChat
from tabloop.browser.late_modules import late_modules
from tabloop.browser.lazy_wallet import LazyWallet
from tabloop.browser.markdown import Markdown
from tabloop.browser.own_pages import OwnPages
from tabloop.browser.page import Page
from tabloop.browser.page_files import FileError, page_module, page_text
from tabloop.browser.picture_view import PictureView
from tabloop.browser.pictures import Pictures
from tabloop.browser.shell import shell
from tabloop.browser.tools_panel import ToolsPanel
from tabloop.browser.transport import BrowserTransport
from tabloop.browser.urllib_patch import UrllibPatch
from tabloop.browser.ways_on import WaysOn
from tabloop.browser.web import js_object
from tabloop.browser.who_answers import WhoAnswers
from tabloop.endpoint.chat_completions import ChatCompletionsModel
from tabloop.endpoint.profiles import KnownEndpoints
from tabloop.prompts import system_prompt
from tabloop.settings import SettingsError, read_settings
from tabloop.tools.analytics.owners import OwnersTools
from tabloop.tools.bundestakt.api import BundestaktApi
from tabloop.tools.bundestakt.tool import bundestakt_tools
from tabloop.tools.images.generations import PictureEndpoint
from tabloop.ui.announced import announced_prices
from tabloop.ui.strings import Strings, load_strings
from tabloop.ui.who_answers import by_line

if TYPE_CHECKING:
    from tabloop.agent.ports import ChatModel
    from tabloop.agent.tools import Tool
    from tabloop.browser.lazy_wallet import PayingParts
    from tabloop.settings import Settings

__all__ = ["main"]

log = logging.getLogger(__name__)

CALLS_PER_TURN = 16  # no useful answer needs more calls in one turn


async def main() -> None:
    """Start the assistant. The page calls it once; errors are shown in the page, never raised."""
    spoken = json.loads(await shell.spoken())
    strings = load_strings(spoken["base"], spoken["own"])
    try:
        try:
            await _start(strings)
        except ImportError:
            # a tool of one's own may import a module that comes late; without a network, nothing
            # can be loaded while the page stands still
            if not await late_modules():
                raise
            await _start(strings)
    except FileError as error:
        shell.bootFailed(js_object({"file": error.file, "status": 0, "message": error.reason}))
    except Exception as error:
        from tabloop.ui.start_problems import start_sentence

        sentence, is_bug = start_sentence(strings, error)
        log.error(sentence, exc_info=error if is_bug else None)
        shell.fail(sentence)
        if shell.asksForCheck() and isinstance(error, SettingsError):
            from tabloop.browser.owner_check import show_fault

            show_fault(strings, error)


async def _start(strings: Strings) -> None:
    toml, markdown = await asyncio.gather(shell.settingsFile(), page_module("markdown.js"))
    # if it did not come, asking again tells why
    settings = read_settings(str(toml) or await page_text("pyscript.toml"))
    if settings.problems:
        from tabloop.ui.start_problems import problem_sentence

        for problem in settings.problems:
            log.warning(problem_sentence(strings, problem))
    await _compose(strings, settings, markdown)


async def _compose(  # noqa: PLR0915 -- one line for each part
    strings: Strings, settings: "Settings", markdown: Any
) -> None:
    """Connect all parts; returns when the last of them is loaded."""
    site = settings.site
    page = Page(strings)
    transport = BrowserTransport()
    known = KnownEndpoints()
    endpoint = EndpointPanel(page, strings, transport, settings, known)
    announced = announced_prices(settings.payment, settings.max_hops)

    def create_paying() -> "PayingParts":
        from tabloop.browser.paying import StoringTransport, paying_parts

        storing = StoringTransport(transport, chat.on_change)
        return paying_parts(page, strings, settings.payment, storing, endpoint, announced=announced)

    await asyncio.sleep(0)  # the page can paint and handle input
    wallet = LazyWallet(page, strings, announced, create_paying)
    await asyncio.sleep(0)
    service = PictureEndpoint(settings.llm_url and settings.image_url, settings.image_model)
    pictures = Pictures(page, strings, wallet=wallet, transport=transport, default=service)
    await asyncio.sleep(0)
    # all tools of the page; add your own here
    record = BundestaktApi(transport, settings.bundestakt_url)
    all_tools = (*(bundestakt_tools(record) if site.bundestakt else ()),)
    await asyncio.sleep(0)
    own_pages = OwnPages(site.search, site.pages)
    owners = OwnersTools(transport, settings.analytics_url, settings.analytics_owners, wallet)
    wallet.on_account(owners.account_changed)

    def offered() -> "tuple[Tool, ...]":
        return (*all_tools, *own_pages.tools, *pictures.offered(), *owners.now())

    none = strings("tools.none" if settings.llm_url else "searching.nothing")
    tools = ToolsPanel(page, strings, offered, "" if own_pages.expected else none)
    pictures.panel.on_change = tools.refresh
    wallet.on_account(tools.refresh)
    messages = wallet.transport("message")
    who = WhoAnswers(page, strings, endpoint, wallet)
    urllib_patch = UrllibPatch()
    view = ConversationView(
        page,
        strings,
        Markdown(strings, markdown),
        announced=announced,
        device=lambda: who.offer,
    )
    ExportButton(page, strings, view, site.name)
    PictureView(page, strings, transport)
    approver = pictures.approver(view)

    def assistant() -> Assistant:
        own_pages.need()
        chosen = endpoint.chosen
        by = ""
        if who.searching:
            model: ChatModel = who.search_model(record=site.bundestakt and not own_pages.tools)
        elif who.device and who.on_device:
            model = who.device.model
        else:
            by = by_line(strings, url=chosen.url, model=chosen.model, key=bool(chosen.key))
            model = ChatCompletionsModel(
                messages,
                url=chosen.url,
                model=chosen.model,
                key=chosen.key,
                stream=endpoint.streams,
                capabilities=known.of(chosen.url, chosen.model),
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
        return Assistant(
            agent,
            strings("who.deviceName") if who.on_device else chosen.model,
            who.searching,
            wallet.meter(),
            announced.per_question if by and wallet.charges(chosen.url) else "",
            who.on_device,
            by,
        )

    chat = Chat(
        page,
        view,
        strings,
        hops=settings.max_hops,
        assistant=assistant,
        system_prompt=lambda: system_prompt(now(), time_zone(), site),
        ways_on=WaysOn(
            use_search=lambda: who.turn_search(True),
            connect=wallet.connect,
            use_own_key=endpoint.open,
            accept_terms=wallet.accept_terms,
            use_free=who.use_free,
            use_device=who.use_device,
        ),
    )
    page.status(strings("status.ready"))
    presentations = {tool.name: tool.presentation for tool in (*all_tools, *pictures.tools)}
    presentations |= own_pages.presentations()
    kept = KeptChat(view, strings, lambda: chat.conversation, presentations)
    keeping = Keeping(page, strings, now=kept.now)
    await keeping.open(kept.restore)
    chat.on_change = keeping.save
    if site.start_with_search or not settings.llm_url:
        who.turn_search(True)
        page.status(strings("status.readySearching"))
    shell.ready()
    chat.open()
    late = [own_pages.load(tools.refresh)]
    if settings.llm_url:
        late += [wallet.load(), who.load()]
    if shell.asksForCheck():
        from tabloop.browser.owner_check import open_check

        late.append(open_check(strings, transport, settings))
    await asyncio.gather(*late)
