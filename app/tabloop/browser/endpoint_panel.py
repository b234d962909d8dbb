"""The panel "Model endpoint". Rule: a key is kept in memory unless the person asks to store it."""

from collections.abc import Callable, Coroutine
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tabloop.browser.late_modules import late_modules
from tabloop.browser.markup import set_html
from tabloop.browser.page import Page
from tabloop.browser.remember_box import RememberBox
from tabloop.browser.web import js_object
from tabloop.core.addresses import is_endpoint, is_name
from tabloop.core.http import Transport
from tabloop.endpoint.check import CheckStep, check_endpoint, owner_of
from tabloop.endpoint.model_list import model_list
from tabloop.endpoint.profiles import KnownEndpoints
from tabloop.endpoint.urls import completions_urls
from tabloop.settings import Settings
from tabloop.ui.endpoint import (
    Endpoint,
    address_refusal,
    address_remark,
    check_html,
    endpoint_of,
    models_html,
    owner_line,
)
from tabloop.ui.strings import Strings

if TYPE_CHECKING:
    from tabloop.browser.local_finder import LocalFinder

__all__ = ["EndpointPanel"]

NAME = "endpoint"
PAID = "llm/v1"  # this service contract refuses `stream`, so a check must not pay to try it


class EndpointPanel:
    """Address, model and key; a change takes effect with the next message.

    `chosen` is the last valid endpoint that the person entered, or the one of the settings.
    """

    def __init__(
        self,
        page: Page,
        strings: Strings,
        transport: Transport,
        settings: Settings,
        known: KnownEndpoints,
    ) -> None:
        self._page = page
        self._strings = strings
        self._transport = transport
        self._known = known
        self._default = Endpoint(settings.llm_url, settings.llm_model)
        self._default_streams = settings.stream is not False
        self._streaming: Endpoint | None = None  # that sent a stream in a check
        self._listed = ("", "")  # the address and key whose models are offered
        self._described_url = ""  # the address whose owner is shown
        self._service = ""  # the service contract that the owner states
        self._invalid = False  # the entered address is invalid; `chosen` is the one before
        self._unused = False  # search mode is on
        self._finder: LocalFinder | None = None
        self._check_status = ""  # the last check's result in the status line
        self._remember = RememberBox(
            page, strings, "endpoint-remember", NAME, lambda: asdict(self.chosen)
        )
        self.on_change: Callable[[], None] = lambda: None  # another endpoint is chosen
        self.chosen = endpoint_of(self._remember.stored()) or self._default
        self._show()
        for name in ("url", "model", "key"):
            page.listen(page.element(f"endpoint-{name}"), "change", self._changed)
        page.listen(page.element("endpoint-url"), "input", lambda _event: self._clear_results())
        page.listen(page.element("endpoint-reset"), "click", self._reset)
        for name, work in (("check", self._check), ("find", self._find)):
            page.listen(page.element(f"endpoint-{name}"), "click", partial(self._press, work))
        page.listen(
            page.element("endpoint-model"),
            "focus",
            lambda _event: page.start(self._list_models()),
        )
        # not at the start: no other origin gets a request before the person acts
        for event in ("focusin", "pointerenter"):
            page.listen(
                page.element("endpoint"), event, lambda _event: page.start(self._describe())
            )

    @property
    def streams(self) -> bool:
        """Whether to ask the chosen endpoint for a stream; it may refuse that."""
        if self._streaming == self.chosen:
            return True
        if (self.chosen.url, self.chosen.model) == (self._default.url, self._default.model):
            return self._default_streams
        return not (self._described_url == self.chosen.url and self._service == PAID)

    def open(self) -> None:
        """Move the focus to the address, also if the panel is in the closed sheet."""
        menu = self._page.element("menu")
        if menu.offsetWidth and menu.getAttribute("aria-expanded") == "false":
            menu.click()
        field = self._page.element("endpoint-url")
        field.focus()
        field.select()

    def set_unused(self, unused: bool) -> None:
        """Show whether the endpoint is unused; an unused one never blocks sending."""
        self._unused = unused
        self._page.element("endpoint").disabled = unused
        self._page.element("endpoint-unused").hidden = not unused
        self._update_refusal()

    def _show(self) -> None:
        self._page.element("endpoint-url").value = self.chosen.url
        self._page.element("endpoint-model").value = self.chosen.model
        self._page.element("endpoint-key").value = self.chosen.key
        self._page.element("endpoint-reset").hidden = self.chosen == self._default

    def _clear_results(self) -> None:
        """Remove owner and check results of the address before, while another one is typed.

        Removing them when the field loses the focus would move the button that is being pressed.
        """
        self._described_url = ""
        self._page.element("endpoint-whom").textContent = ""
        self._page.element("endpoint-steps").replaceChildren()
        if self._check_status and self._page.element("status").textContent == self._check_status:
            self._page.ready(self._strings("status.ready"))

    def _update_refusal(self) -> None:
        """Block sending while the entered address is invalid: `chosen` is an abandoned one."""
        refused = self._invalid and not self._unused
        self._page.refuse(address_refusal(self._strings) if refused else "")

    def _changed(self, _event: Any) -> None:
        field = self._page.element("endpoint-url")
        url = field.value.strip().rstrip("/")
        self._invalid = not is_endpoint(url)
        field.setAttribute("aria-invalid", "true" if self._invalid else "false")
        self._update_refusal()
        if self._invalid:
            self._page.element("endpoint-whom").textContent = address_remark(self._strings)
            self._page.element("endpoint-reset").hidden = False
            return
        if url != self.chosen.url:
            key = self._page.element("endpoint-key")
            if key.value == self.chosen.key:  # a key must not be sent to another address
                key.value = ""
        typed = self._page.element("endpoint-model").value.strip()
        model = typed if is_name(typed) else self.chosen.model
        key = self._page.element("endpoint-key").value.strip()
        self.chosen = Endpoint(url, model, key)
        self._remember.save()
        self._show()
        self.on_change()

    def _reset(self, _event: Any) -> None:
        self.chosen = self._default
        self._invalid = False
        self._remember.clear()
        self._page.element("endpoint-url").setAttribute("aria-invalid", "false")
        self._clear_results()
        self._update_refusal()
        self._show()
        self.on_change()
        self._page.element("endpoint-url").focus()

    async def _describe(self) -> None:
        url = self.chosen.url
        unused = self._invalid or self._unused
        # another address is being typed
        typing = self._page.element("endpoint-url").value.strip().rstrip("/") != url
        if unused or typing or self._described_url == url:
            return
        self._described_url = url
        owner = await owner_of(self._transport, url)
        if self.chosen.url == self._described_url == url and not self._invalid:
            self._service = owner.service if owner else ""
            self._page.element("endpoint-whom").textContent = owner_line(self._strings, owner)

    async def _list_models(self) -> None:
        """Offer the endpoint's models in the field, once for each address and key."""
        chosen = self.chosen
        if self._invalid or self._unused or self._listed == (chosen.url, chosen.key):
            return
        self._listed = (chosen.url, chosen.key)
        known = self._known.of(chosen.url, chosen.model).url or completions_urls(chosen.url)[0]
        models = await model_list(self._transport, known, chosen.key)
        if self._listed == (self.chosen.url, self.chosen.key):
            names = [model.name for model in models]
            set_html(self._page.element("endpoint-models"), models_html(names))

    def _press(self, work: Callable[[], Coroutine[Any, Any, None]], _event: Any) -> None:
        self._page.start(work())

    async def _find(self) -> None:
        """Look for models on this computer, because the person has asked for that."""
        await late_modules()
        from tabloop.browser.local_finder import LocalFinder  # noqa: PLC0415 -- rarely used

        if self._finder is None:
            self._finder = LocalFinder(self._page, self._strings, self._transport)
        await self._finder.look()

    async def _check(self) -> None:
        if self._invalid:
            self._page.element("endpoint-url").focus()  # its description says what is wrong
            return
        button, asked = self._page.element("endpoint-check"), replace(self.chosen)
        button.disabled = True
        steps: list[CheckStep] = []
        with self._page.temporary_status(self._strings("status.checking")):
            try:
                self._described_url = ""
                await self._describe()
                async for step in check_endpoint(
                    self._transport,
                    url=asked.url,
                    model=asked.model,
                    key=asked.key,
                    may_stream=self._service != PAID,
                    capabilities=self._known.of(asked.url, asked.model),
                ):
                    if self._invalid or self.chosen.url != asked.url:
                        steps.clear()
                        break  # the person has entered another address
                    steps.append(step)
                    shown = self._page.element("endpoint-steps")
                    set_html(shown, check_html(self._strings, steps, model=asked.model))
                    shown.lastElementChild.scrollIntoView(js_object({"block": "nearest"}))
                if any(step.name == "Streaming" and step.works for step in steps):
                    self._streaming = asked
            finally:
                button.disabled = False
        if not steps:
            self._page.ready(self._strings("status.ready"))
            return
        failed = any(step.error for step in steps)
        self._check_status = self._strings("status.checkFailed" if failed else "status.checked")
        self._page.status(self._check_status, "problem" if failed else "ok")
